// The page /code/{workspace}: the files of a code workspace, search in them, and the edits that a
// person approves.

import "../sql/sql.css";
import "./code.css";
import { mount, Shell } from "../shared/shell";
import { visible } from "../shared/visible";
import { Bench } from "./bench";
import { CodePage } from "./page";

/** The workspace in the address. */
const workspace = decodeURIComponent(location.pathname.replace(/^\/code\//, ""));

document.title = `${visible(workspace)} · Code · Code Mode Database`;

mount(
  <Shell crumbs={[{ text: workspace }]}>
    <CodePage bench={new Bench(workspace)} />
  </Shell>,
);
