// What pages are written with, in one place: html`…` makes elements, hooks keep state. Pages import from here alone.
import { h } from "./preact.module.js";
import htm from "./htm.module.js";

export { h, render, Component, Fragment, createContext, createRef, toChildArray } from "./preact.module.js";
export {
  useCallback, useContext, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useReducer, useRef, useState,
} from "./hooks.module.js";
export const html = htm.bind(h);
