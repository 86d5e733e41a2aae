// What the demo's records are made of: numbers that are the same on every machine, and words.

/** Numbers from 0 to below 1, always the same ones for a seed (mulberry32). */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Choices with a source of random numbers. */
export class Dice {
  constructor(seed) {
    this.next = randomNumbers(seed);
  }

  /** A whole number from `least` to `most`. */
  between(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  one(list) {
    return list[this.between(0, list.length - 1)];
  }

  /** `count` different items, in an order of chance. */
  several(list, count) {
    const rest = [...list];
    return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(this.between(0, rest.length - 1), 1)[0]);
  }

  /** True once in `times`. */
  chance(times) {
    return this.between(1, times) === 1;
  }
}

export const CONDITIONS = [
  "Type 2 Diabetes", "Obesity", "Hypertension", "Heart Failure", "Atrial Fibrillation", "Asthma", "Chronic Kidney Disease", "Psoriasis",
  "Rheumatoid Arthritis", "Multiple Sclerosis", "Parkinson Disease", "Alzheimer Disease", "Breast Cancer", "Melanoma", "Migraine", "Depression",
];

export const DRUGS = [
  "metformin", "semaglutide", "empagliflozin", "lisinopril", "sacubitril", "apixaban", "budesonide", "finerenone", "secukinumab", "tofacitinib",
  "ocrelizumab", "levodopa", "lecanemab", "trastuzumab", "pembrolizumab", "erenumab", "sertraline", "placebo",
];

export const JOURNALS = [
  "Annals of Clinical Trials", "Journal of Metabolic Medicine", "Heart and Vessels Review", "Archives of Neurology Research", "European Oncology Letters",
  "Immunology in Practice", "The Kidney Journal", "Respiratory Evidence", "Open Pharmacology", "Statistics for Medicine Today",
];

export const COUNTRIES = ["Austria", "Brazil", "Canada", "Denmark", "Estonia", "France", "Ghana", "Hungary", "India", "Japan"];
const CITIES = ["Graz", "Recife", "Halifax", "Aarhus", "Tartu", "Lyon", "Kumasi", "Szeged", "Pune", "Sapporo"];

const GIVEN = ["Ada", "Bo", "Chen", "Dina", "Emil", "Farah", "Goran", "Hana", "Ivo", "Jun", "Kofi", "Lena", "Mateo", "Nadia", "Oskar", "Priya"];
const FAMILY = ["Almeida", "Berg", "Castellan", "Dvorak", "Eriksen", "Fontaine", "Grabowski", "Horvath", "Ito", "Jansen", "Kumar", "Lindqvist", "Mensah", "Novak"];

export const person = (dice) => `${dice.one(GIVEN)} ${dice.one(FAMILY)}`;

export function institute(dice) {
  const place = dice.between(0, CITIES.length - 1);
  return { name: `University Hospital ${CITIES[place]}`, country: COUNTRIES[place] };
}

const DESIGNS = ["randomised", "open-label", "double-blind", "single-centre", "multicentre", "crossover"];
const OUTCOMES = ["all-cause mortality", "quality of life", "time to first event", "blood pressure at rest", "disease activity", "hospital admissions"];
const FINDINGS = ["was lower", "did not differ", "improved", "was unchanged", "fell by a third", "rose slightly"];

/** A title and an abstract about a drug and a condition. */
export function paperAbout(dice, drug, condition) {
  const design = dice.one(DESIGNS);
  const outcome = dice.one(OUTCOMES);
  const patients = dice.between(40, 4_000);
  const months = dice.between(3, 48);
  const abstract = [
    `Background: the place of ${drug} in the treatment of ${condition} is not settled.`,
    `Methods: in this ${design} study we assigned ${patients} patients with ${condition} to ${drug} or to usual care and followed them for ${months} months; the primary outcome was ${outcome}.`,
    `Results: ${outcome} ${dice.one(FINDINGS)} with ${drug} (difference ${(dice.between(1, 400) / 100).toFixed(2)}, 95 % interval ${(dice.between(1, 100) / 100).toFixed(2)} to ${(dice.between(410, 800) / 100).toFixed(2)}).`,
    `Serious adverse events occurred in ${dice.between(1, 30)} % of the patients, most of them in the first ${dice.between(2, 9)} weeks, and ${dice.between(0, 20)} patients left the study early.`,
    `Conclusion: in patients with ${condition}, ${drug} ${dice.one(["may be considered", "cannot be recommended", "deserves a larger trial", "is an option where usual care fails"])}.`,
  ];
  return { title: `${drug[0].toUpperCase()}${drug.slice(1)} for ${condition}: a ${design} study of ${outcome}`, abstract: abstract.join(" ") };
}
