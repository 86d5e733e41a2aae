# The browser part of scripts/setup: a Chromium that the tests of the console drive. Sourced.

# Finds a Chromium: the one that CHROMIUM names, else one on PATH under the names that systems use.
find_browser() {
    local name
    for name in ${CHROMIUM:+"$CHROMIUM"} chromium chromium-browser google-chrome google-chrome-stable; do
        ! has "$name" || {
            command -v "$name"
            return 0
        }
    done
    return 1
}

prepare_browser() {
    find_browser >/dev/null && return 0
    { has apt-get && debian_packages chromium; } ||
        die "the tests of the console need Chromium. Debian: apt-get install chromium. Elsewhere install it or Chrome, and set CHROMIUM to its program"
}

browser_environment() {
    local program
    if program=$(find_browser); then printf 'export CHROMIUM="${CHROMIUM:-%s}"\n' "$program"; fi
}
