/**
 * Who may call the server: API keys, and which web pages where no key is needed. {@link
 * dev.varve.platform.http.access.AccessControl} decides, from the headers of a request alone.
 */
package dev.varve.platform.http.access;
