// Makes each text that a component renders `visible`. It is done here, and not in each component,
// so that none is forgotten.

import { Fragment, options, type ComponentChildren, type VNode } from "preact";
import { visible } from "./visible";

/** The attributes whose values are shown or read out. */
const SHOWN_ATTRIBUTES = ["title", "aria-label", "alt", "placeholder"];

type Props = Record<string, unknown> & { children?: ComponentChildren };

const next = options.vnode;

options.vnode = (vnode: VNode) => {
  const { type } = vnode;
  // Texts that are passed to a component reach an element or a fragment in the end.
  if (typeof type === "string" || type === Fragment) {
    const props = vnode.props as Props;
    if (props.children !== undefined) props.children = shown(props.children);
    for (const name of SHOWN_ATTRIBUTES) {
      const value = props[name];
      if (typeof value === "string") props[name] = visible(value);
    }
  }
  next?.(vnode);
};

function shown(children: ComponentChildren): ComponentChildren {
  if (typeof children === "string") return visible(children);
  return Array.isArray(children) ? children.map(shown) : children;
}
