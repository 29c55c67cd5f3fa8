/**
 * Puts `content` between the markers `<!-- generated:NAME -->` and `<!-- /generated:NAME -->` of a page.
 * Throws where the page does not hold that pair exactly once, in this order.
 */
export function replaceGenerated(page, name, content) {
  const begin = `<!-- generated:${name} -->`;
  const end = `<!-- /generated:${name} -->`;
  const [before, afterBegin, ...furtherBegins] = page.split(begin);
  const [, after, ...furtherEnds] = (afterBegin ?? "").split(end);
  if (after === undefined || furtherBegins.length + furtherEnds.length > 0) {
    throw new Error(`the page needs "${begin}" and "${end}" once each, in this order`);
  }
  return `${before}${begin}\n${content}\n${end}${after}`;
}
