// Sets the theme before anything is painted. A script of its own that the head waits for, because the scripts of the pages come after their HTML.

import { applyTheme, storedTheme } from "./theme-choice";

applyTheme(storedTheme());
