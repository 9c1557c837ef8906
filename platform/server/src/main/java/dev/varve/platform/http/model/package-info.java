/**
 * The model that a server serves, {@link dev.varve.platform.http.model.ServedModel}, and the
 * responses that need no generation: facts, health, tokens.
 */
package dev.varve.platform.http.model;
