/**
 * The web page that the server shows at its root: files that come with the server, and how browsers
 * are told to treat them.
 */
package dev.varve.platform.http.page;
