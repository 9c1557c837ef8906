/**
 * The model that a server offers, {@link dev.varve.platform.http.model.ServedModel}, and the
 * answers that need no generation: facts, health, tokens.
 */
package dev.varve.platform.http.model;
