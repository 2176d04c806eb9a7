// The types of preact.js, for `tsc`: those of the preact package, which package.json names in the version that is here.
export { Component, Fragment, createContext, createRef, h, render, toChildArray } from "preact";
export {
  useCallback, useContext, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useReducer, useRef, useState,
} from "preact/hooks";
/** What stands in a template. Attributes aren't checked against elements; functions are handlers of events. */
type InTemplate = ((event: any) => unknown) | {} | null | undefined;
export function html(strings: TemplateStringsArray, ...values: InTemplate[]): any;
