// Sets the theme before anything is painted. The head waits for this separate script, because the
// scripts of the pages follow their HTML.

import { applyTheme, storedTheme } from "./theme-choice";

applyTheme(storedTheme());
