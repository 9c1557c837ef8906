/**
 * Failures that no request must see: optional work runs behind a boundary that counts them, and an
 * engine that has many of them says so.
 */
package dev.varve.platform.failure;
