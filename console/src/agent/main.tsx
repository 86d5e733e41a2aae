// The page /agent/{threadId}: questions in plain words, and the statements that a person approves.

import "../sql/sql.css";
import "./agent.css";
import { mount, Shell } from "../shared/shell";
import { visible } from "../shared/visible";
import { Desk } from "./desk";
import { AgentPage } from "./page";

/** The thread that the address names. */
const thread = decodeURIComponent(location.pathname.replace(/^\/agent\//, ""));

document.title = `${visible(thread)} · Questions · Code Mode Database`;

mount(
  <Shell crumbs={[{ text: thread }]}>
    <AgentPage desk={new Desk(thread)} />
  </Shell>,
);
