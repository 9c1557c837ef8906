/**
 * The web page at the server's root: files that are packaged with the server, and the headers with
 * which they are sent.
 */
package dev.varve.platform.http.page;
