/**
 * Access to the server: API keys, and cross-origin rules if no key is needed. {@link
 * dev.varve.platform.http.access.AccessControl} decides, from the headers of a request alone.
 */
package dev.varve.platform.http.access;
