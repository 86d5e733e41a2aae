// The page /: the deployment, sessions and their tables.

import "../sql/sql.css";
import "./home.css";
import "./session.css";
import { mount } from "../shared/shell";
import { useStore } from "../shared/store";
import { ListPage } from "./list";
import { route } from "./route";
import { SessionPage } from "./session/page";

function Home() {
  const shown = useStore(route);
  return shown.kind === "list" ? <ListPage /> : <SessionPage key={shown.name} session={shown.name} />;
}

mount(<Home />);
