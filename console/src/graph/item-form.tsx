// The form of a node or an edge: label, type, and data as JSON.

import { useId, useState } from "preact/hooks";
import { Dialog } from "../shared/dialog";
import { formatJson, parseJson } from "../shared/json";
import { addEdge, addNode, updateEdge, updateNode } from "./edits";
import { isObject, mergePatch, NullValue } from "./merge-patch";
import type { Data } from "./model";
import { labelOf } from "./card-parts";
import type { Form, Workbench } from "./workbench";

interface Fields {
  label: string;
  type: string;
  data: string;
}

const KNOWN_TYPES = ["gene", "protein", "disease", "drug", "pathway", "other"];

interface ItemFormProps {
  title: string;
  kind: "node" | "edge";
  /** The first values of the fields. */
  before: { label: string; type: string; data: Data };
  action: string;
  /** The types that are offered. */
  types: readonly string[];
  /** Stores the item; returns false if it failed, and the form stays. */
  store(fields: { label: string; type: string; data: Data | undefined }): Promise<boolean>;
  isNew: boolean;
  onClose(): void;
}

function ItemForm({ title, kind, before, action, types, store, isNew, onClose }: ItemFormProps) {
  const [fields, setFields] = useState<Fields>({ label: before.label, type: before.type, data: Object.keys(before.data).length === 0 ? "" : formatJson(before.data, 2) });
  const [fault, setFault] = useState<string | null>(null);
  const [isStoring, setStoring] = useState(false);
  const ids = { types: useId(), fault: useId() };
  const set = (name: keyof Fields) => (event: { currentTarget: { value: string } }) => setFields({ ...fields, [name]: event.currentTarget.value });
  const submit = async (event: Event) => {
    event.preventDefault();
    const checked = check(fields.data, before.data, isNew);
    setFault(checked.fault);
    if (checked.fault !== null) return;
    setStoring(true);
    const isStored = await store({ label: fields.label, type: fields.type.trim(), data: checked.data });
    setStoring(false);
    if (isStored) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <label class="field">
          <span>Label</span>
          <input value={fields.label} onInput={set("label")} required={kind === "node"} maxLength={4096} autofocus />
        </label>
        <label class="field">
          <span>Type</span>
          <input value={fields.type} onInput={set("type")} list={ids.types} maxLength={128} placeholder={kind === "node" ? "other" : ""} />
        </label>
        <datalist id={ids.types}>
          {types.map((type) => <option key={type} value={type} />)}
        </datalist>
        <label class="field">
          <span>Data (JSON)</span>
          <textarea
            class="code"
            rows={6}
            spellcheck={false}
            placeholder="{}"
            value={fields.data}
            aria-invalid={fault !== null}
            aria-describedby={ids.fault}
            onInput={(event) => {
              set("data")(event);
              // Not when the field loses the focus, because the button must not move under the
              // pointer.
              setFault(null);
            }}
            onBlur={() => setFault(check(fields.data, before.data, isNew).fault)}
          />
        </label>
        <p id={ids.fault} class="fault" role="alert">{fault}</p>
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>Cancel</button>
          <button type="submit" class="primary" disabled={isStoring}>{action}</button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns the data to send; undefined for no change. */
function check(text: string, before: Data, isNew: boolean): { data: Data | undefined; fault: string | null } {
  try {
    const data = text.trim() === "" ? {} : parseJson(text);
    if (!isObject(data)) return { data: undefined, fault: "The data must be a JSON object, such as {\"score\": 3}." };
    if (isNew) return { data: Object.keys(data).length === 0 ? undefined : data, fault: null };
    const patch = mergePatch(before, data);
    return { data: Object.keys(patch).length === 0 ? undefined : patch, fault: null };
  } catch (thrown) {
    const message = thrown instanceof NullValue ? `${thrown.message}.` : `This is not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}.`;
    return { data: undefined, fault: message };
  }
}

/** Removes undefined fields. */
function given<T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** Shows the dialog of a form that edits. */
export function ItemDialog({ bench, form, onClose }: { bench: Workbench; form: Exclude<Form, { kind: "import" | "keys" }>; onClose(): void }) {
  const { data } = bench.shown.get();
  const common = { bench, onClose };
  switch (form.kind) {
    case "add-node":
      return <AddNode {...common} form={form} />;
    case "edit-node": {
      const node = data.nodes.get(form.id);
      if (node === undefined) return null;
      return (
        <ItemForm
          title="Edit node"
          kind="node"
          before={node}
          action="Save"
          types={nodeTypes(bench)}
          isNew={false}
          onClose={onClose}
          store={({ label, type, data: patch }) => updateNode(bench, node.id, given({ label: changed(node.label, label), type: changed(node.type, type === "" ? "other" : type), data: patch }))}
        />
      );
    }
    case "add-edge":
      return (
        <ItemForm
          title={`Connect ${labelOf(data, form.source)} to ${labelOf(data, form.target)}`}
          kind="edge"
          before={{ label: "", type: "", data: {} }}
          action="Connect"
          types={edgeTypes(bench)}
          isNew
          onClose={onClose}
          store={({ label, type, data: own }) => addEdge(bench, { source: form.source, target: form.target, ...given({ label, type, data: own }) })}
        />
      );
    case "edit-edge": {
      const edge = data.edges.get(form.id);
      if (edge === undefined) return null;
      return (
        <ItemForm
          title={`Edit edge ${labelOf(data, edge.source)} → ${labelOf(data, edge.target)}`}
          kind="edge"
          before={edge}
          action="Save"
          types={edgeTypes(bench)}
          isNew={false}
          onClose={onClose}
          store={({ label, type, data: patch }) => updateEdge(bench, edge.id, given({ label: changed(edge.label, label), type: changed(edge.type, type), data: patch }))}
        />
      );
    }
  }
}

function AddNode({ bench, form, onClose }: { bench: Workbench; form: Extract<Form, { kind: "add-node" }>; onClose(): void }) {
  return (
    <ItemForm
      title="Add a node"
      kind="node"
      before={{ label: "", type: "", data: {} }}
      action="Add"
      types={nodeTypes(bench)}
      isNew
      onClose={onClose}
      store={({ label, type, data }) => {
        const position = form.position ?? undefined;
        return addNode(bench, { label, ...given({ type: type === "" ? undefined : type, data, position, pinned: position === undefined ? undefined : true }) });
      }}
    />
  );
}

function changed(before: string, after: string): string | undefined {
  return before === after ? undefined : after;
}

function nodeTypes(bench: Workbench): string[] {
  const used = bench.shown.get().data.typeCounts().map(({ name }) => name);
  return [...new Set([...KNOWN_TYPES, ...used])];
}

function edgeTypes(bench: Workbench): string[] {
  return [...new Set([...bench.shown.get().data.edges.values()].map(({ type }) => type))].filter((type) => type !== "").slice(0, 100);
}
