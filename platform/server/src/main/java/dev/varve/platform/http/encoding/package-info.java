/** Requests for vectors and scores of texts: what their bodies hold, and their responses. */
package dev.varve.platform.http.encoding;
