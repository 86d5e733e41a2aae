// Bounds Intl, which is changed when a program first reads it: a list of locales may have any
// length, and comparing long texts takes long.

import { isObject, lengthOf, measure, replace, replaceAll, sized } from "./builtins.js";
import { iterable, step } from "./guard.js";
import { replaceConstructor } from "./iteration.js";
import { checkMarks } from "./texts.js";

const { apply: applyPlatform } = Reflect;
const { defineProperty: place, getOwnPropertyDescriptor: foundAt, getOwnPropertyNames: namesIn } = Object;
const TooLongFor = RangeError;

/** Names in a list of locales. */
const MOST_LOCALES = 1024;
/**
 * Characters of a text that is compared, segmented or read as a number by the rules of a language:
 * half a second.
 */
const MOST_COMPARED_TEXT = 2 ** 22;
const MOST_DIGITS_READ = 1024;
/** Characters of a name. Real names have less than a tenth of that. */
const MOST_OF_NAME = 1024;
/** Texts of a list that becomes one text. */
const MOST_LISTED = 2 ** 13;

/** Checks the name of a locale, a time zone, a currency or a style. */
function shortName(value) {
  const name = isObject(value) ? `${value}` : value;
  if (typeof name === "string" && name.length > MOST_OF_NAME) throw new TooLongFor(`Invalid string length: a name of Intl has ${MOST_OF_NAME} characters at most`);
  return name;
}

function localesOf(locales) {
  if (!isObject(locales) || locales instanceof international.Locale) return shortName(locales);
  const list = sized(locales, MOST_LOCALES);
  const names = [];
  for (let at = 0; at < lengthOf(list); at++) {
    const locale = list[at];
    names[names.length] = locale instanceof international.Locale ? locale : shortName(locale);
  }
  return names;
}

/** Wraps options of Intl, so that each value is checked when it is read. */
const optionsOf = (options) => (isObject(options) ? new PlainView(options, { get: (of, name) => shortName(of[name]) }) : options);
const PlainView = Proxy;

/** Wraps a call whose argument at `place` holds locales, and whose next one holds options. */
const withLocales = (place) => (original) => ({
  method(...values) {
    step();
    if (values.length > place) values[place] = localesOf(values[place]);
    if (values.length > place + 1) values[place + 1] = optionsOf(values[place + 1]);
    return applyPlatform(original, this, values);
  },
}).method;

for (const owner of [Number, BigInt, Array, Date]) replaceAll(owner.prototype, ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"], withLocales(0));
replaceAll(String.prototype, ["toLocaleLowerCase", "toLocaleUpperCase"], (original) => {
  const looked = withLocales(0)(original);
  return ({
    method(...values) {
      return applyPlatform(looked, checkWords(this === null || this === undefined ? this : asText(this)), values);
    },
  }).method;
});

/** Checks a text that is processed by the rules of a language. */
function checkWords(text) {
  if (typeof text !== "string" || text.length <= FEW_CHARACTERS) return text;
  if (text.length > MOST_COMPARED_TEXT) throw new TooLongFor(`Invalid string length: a text that is compared or cut by the rules of a language has ${MOST_COMPARED_TEXT} characters at most`);
  checkMarks(text);
  return text;
}

const FEW_CHARACTERS = 64;
const asText = (value) => (typeof value === "string" ? value : `${value}`);

replace(String.prototype, "localeCompare", (original) => ({
  localeCompare(other, locales, ...options) {
    if (this === null || this === undefined) return applyPlatform(original, this, []);
    step();
    return applyPlatform(original, checkWords(asText(this)), [checkWords(asText(other)), localesOf(locales), ...options.map(optionsOf)]);
  },
}).localeCompare);

/** Replaces the function that a getter returns, once for each object. */
function replaceGetter(owner, name, make) {
  const native = foundAt(owner, name)?.get;
  if (native === undefined) return;
  const known = new WeakMap();
  const { get: found, set: keep } = WeakMap.prototype;
  place(owner, name, {
    get() {
      let made = applyPlatform(found, known, [this]);
      if (made === undefined) {
        const plain = applyPlatform(native, this, []);
        made = make(plain);
        applyPlatform(keep, known, [this, made]);
      }
      return made;
    },
    configurable: true,
    enumerable: false,
  });
}

/** Checks the number of digits of a number that is given as text or BigInt. */
function checkDigits(value) {
  const given = isObject(value) ? asText(value) : value;
  if (typeof given === "string" && given.length > MOST_DIGITS_READ) throw new TooLongFor(`Invalid string length: a number that is formatted has ${MOST_DIGITS_READ} digits at most`);
  if (typeof given === "bigint" && (given > widest || given < -widest)) throw new TooLongFor(`Maximum BigInt size exceeded: a number that is formatted has ${MOST_DIGITS_READ} digits at most`);
  return given;
}
const widest = 1n << 3400n;

replace(BigInt.prototype, "toLocaleString", (original) => ({
  toLocaleString(...values) {
    if (typeof this === "bigint") checkDigits(this);
    return applyPlatform(original, this, values);
  },
}).toLocaleString);

/**
 * Checks texts that become one. Together they have no more characters than a text that is compared.
 */
function listedWords(list) {
  const words = [];
  let left = MOST_COMPARED_TEXT;
  for (const word of iterable(list)) {
    left -= 1 + (typeof word === "string" ? word.length : 0);
    if (left < 0 || words.length >= MOST_LISTED) throw new TooLongFor(`Invalid string length: a list that is formatted has ${MOST_LISTED} texts and ${MOST_COMPARED_TEXT} characters at most`);
    words[words.length] = word;
  }
  return words;
}

function prepare(international) {
  // It belongs to no standard, and accepts a text of any length.
  delete international.v8BreakIterator;
  for (const name of namesIn(international)) {
    if (!/^[A-Z]/.test(name)) continue;
    replaceConstructor(international, name, (values) => {
      if (values.length > 0) values[0] = localesOf(values[0]);
      if (values.length > 1) values[1] = optionsOf(values[1]);
    });
    replaceAll(international[name], ["supportedLocalesOf"], withLocales(0));
  }
  replaceAll(international, ["getCanonicalLocales", "supportedValuesOf"], withLocales(0));
  replaceAll(international.RelativeTimeFormat.prototype, ["format", "formatToParts"], (original) => ({
    method(value, unit) {
      return applyPlatform(original, this, [checkDigits(value), shortName(unit)]);
    },
  }).method);
  const { Collator, NumberFormat, PluralRules, ListFormat, Segmenter, DisplayNames } = international;
  replaceGetter(Collator.prototype, "compare", (compare) => (one, other) => {
    step();
    return compare(checkWords(asText(one)), checkWords(asText(other)));
  });
  replaceGetter(NumberFormat.prototype, "format", (format) => (value) => format(checkDigits(value)));
  for (const owner of [NumberFormat, PluralRules]) {
    replaceAll(owner.prototype, ["formatToParts", "formatRange", "formatRangeToParts", "select", "selectRange"], (original) => ({
      method(...values) {
        return applyPlatform(original, this, values.map(checkDigits));
      },
    }).method);
  }
  replaceAll(ListFormat.prototype, ["format", "formatToParts"], (original) => ({
    method(list) {
      return applyPlatform(original, this, [list === undefined ? list : listedWords(list)]);
    },
  }).method);
  replaceAll(Segmenter.prototype, ["segment"], (original) => ({
    segment(text) {
      const whole = checkWords(asText(text));
      measure(whole);
      return applyPlatform(original, this, [whole]);
    },
  }).segment);
  replaceAll(DisplayNames.prototype, ["of"], (original) => ({
    of(code) {
      return applyPlatform(original, this, [checkWords(asText(code))]);
    },
  }).of);
}

const international = globalThis.Intl;
let isPrepared = false;

place(globalThis, "Intl", {
  get() {
    if (!isPrepared) prepare(international);
    isPrepared = true;
    place(globalThis, "Intl", { value: international, configurable: true, writable: true, enumerable: false });
    return international;
  },
  set(value) {
    place(globalThis, "Intl", { value, configurable: true, writable: true, enumerable: false });
  },
  configurable: true,
  enumerable: false,
});
