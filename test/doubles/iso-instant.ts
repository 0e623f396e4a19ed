/** How an instant is printed and served (src/printed-json.ts). */
export const ISO = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;
