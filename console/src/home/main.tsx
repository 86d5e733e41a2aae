// The page /: what runs here, sessions and their tables.

import "../shared/theme.css";
import { mount, Shell } from "../shared/shell";

mount(<Shell crumbs={[]}>{null}</Shell>);
