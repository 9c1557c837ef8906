/** Digests of texts and bytes. */
package dev.varve.platform.digest;
