// Makes one tree of elements like another, and keeps every element that both have: the focus, a selection of text, an
// open <details> and listeners stay. Children are matched by id or data-key, else by tag and order.
//
// Left alone: elements with data-own, which a script fills, and attributes that hold a choice of the reader.

const isOwn = (node: Node) => node instanceof Element && (node.hasAttribute("data-own") || node.localName === "noscript");

// "open" is what the reader opened.
const isChosen = (element: Element, name: string) => (name === "open" && element.localName === "details") || name.startsWith("data-chosen");

const keyOf = (node: Node) => (node instanceof Element ? node.id || node.getAttribute("data-key") || null : null);

const isSameKind = (a: Node, b: Node) =>
  a.nodeType === b.nodeType && a.nodeName.toLowerCase() === b.nodeName.toLowerCase() && keyOf(a) === keyOf(b);

// No text of the job becomes markup on its way here, and no script is in the parts that are compared.
const isRefused = (node: Node) => node instanceof Element && node.localName === "script";

export function patch(old: Element, next: Element) {
  for (const { name } of [...old.attributes]) {
    if (!next.hasAttribute(name) && !isChosen(old, name)) old.removeAttribute(name);
  }
  for (const { name, value } of [...next.attributes]) {
    if (old.getAttribute(name) === value || isChosen(old, name)) continue;
    // The page's policy refuses the attribute, and allows the property.
    if (name === "style") (old as HTMLElement).style.cssText = (next as HTMLElement).style.cssText;
    else old.setAttribute(name, value);
  }
  patchChildren(old, next);
}

function patchChildren(old: Element, next: Element) {
  const spare = [...old.childNodes];
  let place: ChildNode | null = old.firstChild;
  const skipOwn = () => {
    while (place && isOwn(place)) place = place.nextSibling;
  };
  for (const wanted of [...next.childNodes]) {
    if (isRefused(wanted)) continue;
    skipOwn();
    const own = spare.find((node) => isOwn(node) && isSameKind(node, wanted));
    if (own) {
      spare.splice(spare.indexOf(own), 1);
      place = own.nextSibling;
      continue;
    }
    const found = spare.findIndex((node) => !isOwn(node) && isSameKind(node, wanted));
    if (found < 0) {
      old.insertBefore(document.adoptNode(wanted), place);
      continue;
    }
    const [kept] = spare.splice(found, 1) as [ChildNode];
    if (kept === place) place = kept.nextSibling;
    else old.insertBefore(kept, place);
    if (kept instanceof Element) patch(kept, wanted as Element);
    else if (kept.textContent !== wanted.textContent) kept.textContent = wanted.textContent;
  }
  for (const node of spare) if (!isOwn(node)) node.remove();
}
