// The page /agent/{threadId}: questions in plain words, and the statements that a person approves.

import "../sql/sql.css";
import "./agent.css";
import { mount, Shell } from "../shared/shell";
import { useStore } from "../shared/store";
import { Desk } from "./desk";
import { AgentPage, titleOf } from "./page";

/** The thread in the address. */
const thread = decodeURIComponent(location.pathname.replace(/^\/agent\//, ""));

const desk = new Desk(thread);

function Page() {
  return (
    <Shell crumbs={[{ text: titleOf(useStore(desk.live.thread)) }]}>
      <AgentPage desk={desk} />
    </Shell>
  );
}

mount(<Page />);
