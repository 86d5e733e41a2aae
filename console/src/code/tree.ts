// Paths as a tree of folders.

import type { FileEntry } from "./model";

export interface Folder {
  /** Its name; folders that contain nothing but one folder have the names of both. */
  name: string;
  path: string;
  folders: Folder[];
  files: FileEntry[];
}

/** Makes the tree of files, which are sorted by path. */
export function treeOf(files: readonly FileEntry[]): Folder {
  const root: Folder = { name: "", path: "", folders: [], files: [] };
  const known = new Map([["", root]]);
  for (const file of files) {
    let folder = root;
    const names = file.file_path.split("/").slice(0, -1);
    for (const name of names) {
      const path = folder.path === "" ? name : `${folder.path}/${name}`;
      let next = known.get(path);
      if (next === undefined) {
        next = { name, path, folders: [], files: [] };
        known.set(path, next);
        folder.folders.push(next);
      }
      folder = next;
    }
    folder.files.push(file);
  }
  // The innermost first, so that a folder is joined with its joined subfolder.
  for (const folder of [...known.values()].reverse()) folder.folders = folder.folders.map(joined);
  return root;
}

/** Joins a folder with its only content, another folder, and so on. */
function joined(folder: Folder): Folder {
  let [name, at] = [folder.name, folder];
  for (let only = at.folders[0]; at.files.length === 0 && at.folders.length === 1 && only !== undefined; only = at.folders[0]) {
    name = `${name}/${only.name}`;
    at = only;
  }
  return { ...at, name };
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
