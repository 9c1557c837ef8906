/**
 * Handles failures that must not fail a request: optional work runs in a guard that counts them,
 * and an engine with many failures reports itself as degraded.
 */
package dev.varve.platform.failure;
