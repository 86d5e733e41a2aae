// The page /graph/{conversationId}: one knowledge graph.

import "../shared/theme.css";
import { mount, Shell } from "../shared/shell";

/** The conversation that the address names. */
const conversation = decodeURIComponent(location.pathname.replace(/^\/graph\//, ""));

mount(<Shell crumbs={[{ text: conversation }]}>{null}</Shell>);
