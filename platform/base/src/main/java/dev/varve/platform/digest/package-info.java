/** SHA-256 digests, from {@link dev.varve.platform.digest.Sha256}. */
package dev.varve.platform.digest;
