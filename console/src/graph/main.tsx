// The page /graph/{conversationId}: one knowledge graph.

import "./graph.css";
import { mount, Shell } from "../shared/shell";
import { visible } from "../shared/visible";
import { GraphPage } from "./page";
import { Workbench } from "./workbench";

/** The conversation in the address. */
const conversation = decodeURIComponent(location.pathname.replace(/^\/graph\//, ""));

document.title = `${visible(conversation)} · Knowledge graph · Code Mode Database`;

mount(
  <Shell crumbs={[{ text: conversation }]}>
    <GraphPage bench={new Workbench(conversation)} />
  </Shell>,
);
