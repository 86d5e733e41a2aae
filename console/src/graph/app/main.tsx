// The MCP App ui://graph/viewer: the graph of a conversation inside the chat of a host. It
// communicates only with its host.

import "../../shared/theme.css";
import "../../shared/visible-texts";
import "../graph.css";
import "./app.css";
import { render } from "preact";
import { Viewer } from "./viewer";

/** The product's version, which the build inserts. */
declare const APP_VERSION: string;

const place = document.getElementById("app");
if (place !== null) render(<Viewer version={APP_VERSION} />, place);
