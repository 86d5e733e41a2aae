//! Words that are common in column names.
//!
//! A known word is never read as a misspelling of another (`county` is not `country`), and a word
//! without separators is only split into known words (`pubdate`).

use super::synonyms;

/// Returns true if a lower-case word is a correctly spelt, ordinary word.
pub(super) fn is_known(word: &str) -> bool {
    WORDS.binary_search(&word).is_ok() || synonyms::canonical(word).is_some()
}

/// The known words, sorted, in the singular. Words with a canonical form are in [`synonyms`]
/// instead.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "absorption", "abstract", "accession", "account", "acetylation", "active", "activity", "actor", "address", "adsorption", "affect",
    "affiliation", "age", "album", "alias", "allele", "altitude", "amount", "and", "angle", "annotation", "answer", "approval", "area",
    "arrival", "article", "artist", "assay", "assembly", "asset", "at", "atom", "attack", "attribute", "author", "avatar", "average",
    "balance", "band", "barcode", "base", "batch", "bed", "behavior", "bid", "billing", "birth", "block", "blood", "body", "book",
    "boolean", "brain", "brand", "budget", "building", "by", "cabin", "calorie", "campaign", "candidate", "capacity", "capital", "card",
    "case", "cash", "cast", "category", "cause", "cell", "center", "chain", "chapter", "character", "charge", "chromosome",
    "circumference", "citation", "city", "class", "classification", "clinic", "close", "cluster", "code", "cohort", "collection",
    "color", "column", "comment", "commission", "common", "company", "comparison", "complete", "completion", "component", "composer",
    "compound", "concentration", "condition", "confidence", "consent", "contact", "content", "contest", "context", "continent",
    "contract", "coordinate", "copy", "cost", "count", "counter", "country", "county", "coupon", "course", "coverage", "creation",
    "creator", "credit", "currency", "current", "customer", "cylinder", "daily", "data", "database", "date", "day", "death", "debit",
    "debt", "decision", "deck", "decrease", "default", "defense", "degree", "delay", "deletion", "delivery", "density", "department",
    "departure", "deposition", "depth", "description", "destination", "detail", "device", "diagnosis", "diameter", "diet", "difference",
    "dimension", "direction", "director", "discount", "disease", "display", "disposition", "distance", "distributor", "district",
    "doctor", "document", "doi", "domain", "donor", "dose", "down", "download", "draft", "driver", "drug", "due", "duration", "e",
    "economy", "edge", "edition", "education", "effect", "efficacy", "email", "embarked", "employee", "employer", "enabled", "end",
    "energy", "engine", "enrollment", "entity", "entry", "environment", "enzyme", "episode", "error", "estimate", "evaluation", "event",
    "evidence", "exam", "example", "exon", "expense", "experience", "expiry", "explanation", "export", "exposure", "expression",
    "extension", "external", "eye", "fact", "factor", "fail", "family", "fare", "fat", "favorite", "fax", "feature", "fee", "female",
    "fertility", "field", "figure", "file", "filename", "final", "finding", "first", "fish", "flag", "flight", "floor", "follower",
    "for", "forecast", "forename", "form", "format", "formula", "founded", "fraction", "frame", "frequency", "friend", "from", "fuel",
    "function", "fund", "game", "gas", "gate", "gender", "gene", "generation", "genome", "genre", "given", "goal", "government",
    "grade", "grain", "grand", "grant", "graph", "gray", "grid", "gross", "group", "growth", "guest", "guid", "hair", "half", "hard",
    "has", "hash", "head", "heading", "headline", "health", "heard", "heart", "height", "hemisphere", "hemoglobin", "high", "hire",
    "history", "hit", "holder", "home", "homepage", "horsepower", "hospital", "host", "hostname", "hotel", "hour", "house", "human",
    "hypertension", "hypotension", "icon", "id", "image", "impact", "import", "impression", "in", "income", "increase", "index",
    "indication", "industry", "inflow", "information", "ingredient", "inhibitor", "input", "instruction", "insurance", "intensity",
    "interaction", "interest", "internal", "interval", "intervention", "inventory", "investigator", "invoice", "ip", "is", "island",
    "isoform", "issue", "item", "job", "join", "journal", "key", "keyword", "kill", "label", "lake", "language", "large", "last",
    "late", "latitude", "layer", "lead", "league", "left", "legal", "length", "letter", "level", "library", "license", "life", "like",
    "limit", "line", "link", "list", "literature", "loan", "local", "location", "locus", "log", "login", "logo", "longitude", "loss",
    "low", "major", "male", "manager", "mandate", "manufacturer", "map", "margin", "market", "mass", "match", "material", "max",
    "measure", "measurement", "media", "median", "medium", "member", "message", "metabolite", "method", "methylation", "metric",
    "mileage", "min", "minor", "modality", "model", "molecule", "moment", "month", "mood", "morality", "mortality", "mother", "motif",
    "movie", "mutation", "name", "narrative", "nationality", "network", "news", "next", "node", "not", "note", "number", "object",
    "observation", "occupation", "odds", "of", "off", "office", "official", "offset", "old", "on", "open", "operator", "opinion",
    "opponent", "option", "order", "organ", "organism", "organization", "origin", "original", "out", "outcome", "outflow", "output",
    "owner", "p", "page", "pain", "paper", "parameter", "parent", "part", "participant", "partner", "party", "pass", "passenger",
    "password", "past", "path", "pathway", "patient", "payee", "payer", "payment", "peak", "people", "per", "percent", "performance",
    "period", "permission", "person", "phase", "phenotype", "phone", "phosphorylation", "phrase", "place", "plan", "plant", "plate",
    "platform", "player", "pmid", "point", "policy", "population", "position", "post", "postal", "postcode", "poster", "power",
    "precipitation", "prefix", "premium", "prescribed", "presence", "pressure", "previous", "price", "primary", "priority", "private",
    "prize", "probability", "procedure", "process", "producer", "product", "production", "profession", "profile", "profit", "program",
    "project", "property", "proscribed", "protein", "provider", "province", "public", "publication", "publisher", "purchase", "purpose",
    "quality", "quantity", "quarter", "query", "question", "queue", "rain", "rank", "rat", "rate", "rating", "ratio", "reaction",
    "read", "reading", "reason", "receipt", "receiver", "recipient", "recommendation", "record", "recruitment", "reference", "refund",
    "region", "registration", "relation", "release", "remark", "rent", "reply", "report", "request", "resolution", "resource",
    "response", "rest", "result", "return", "revenue", "review", "reviewed", "reviewer", "risk", "rival", "role", "room", "root",
    "round", "route", "row", "rule", "run", "running", "salary", "sale", "sales", "sample", "scale", "schedule", "school", "science",
    "score", "screen", "season", "seat", "second", "section", "sector", "segment", "sender", "sensor", "sentence", "sequence", "series",
    "service", "session", "severity", "shape", "share", "ship", "shipment", "shop", "short", "side", "sign", "signal", "site", "size",
    "skill", "skin", "slope", "small", "smoker", "social", "software", "song", "source", "space", "speaker", "species", "specimen",
    "speed", "spend", "sponsor", "sport", "staff", "stage", "stamp", "standard", "star", "start", "state", "statement", "station",
    "stats", "status", "step", "stock", "stop", "store", "street", "strength", "string", "structure", "student", "study", "style",
    "subject", "submission", "subscriber", "subset", "substance", "success", "suffix", "suite", "summary", "supplier", "support",
    "surface", "surgery", "surname", "survival", "survived", "symbol", "symptom", "synonym", "synopsis", "system", "table", "tag",
    "target", "task", "tax", "taxon", "team", "temperature", "term", "test", "text", "the", "theater", "theme", "therapist", "third",
    "threshold", "thumbnail", "ticket", "tier", "time", "timestamp", "tissue", "title", "to", "token", "tool", "topic", "total", "town",
    "track", "trade", "train", "trainee", "trainer", "transaction", "transcript", "translation", "treatment", "tree", "trend", "trial",
    "trip", "tumor", "turnover", "type", "uid", "unique", "unit", "university", "up", "update", "upload", "upper", "url", "usage",
    "use", "user", "uuid", "valid", "value", "variable", "variant", "variation", "vector", "vehicle", "vendor", "venue", "version",
    "video", "view", "village", "visibility", "visit", "visitor", "volume", "vote", "voyage", "wait", "ward", "warehouse", "was",
    "water", "wave", "wavelength", "weather", "web", "website", "week", "weekday", "weight", "wind", "window", "winner", "with", "word",
    "work", "year", "zone",
];

#[cfg(test)]
mod tests {
    use super::{WORDS, is_known};

    #[test]
    fn the_list_is_sorted_without_repeats() {
        assert!(WORDS.is_sorted_by(|one, next| one < next));
    }

    #[test]
    fn look_alike_words_are_known_and_misspellings_are_not() {
        for word in ["country", "county", "employer", "employee", "pub", "qty"] {
            assert!(is_known(word), "{word}");
        }
        for word in ["cuontry", "titel", "publicaton", ""] {
            assert!(!is_known(word), "{word}");
        }
    }
}
