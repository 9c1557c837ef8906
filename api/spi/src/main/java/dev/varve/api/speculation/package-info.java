/**
 * Speculators propose draft tokens, so that one forward pass of the model verifies several tokens.
 * Drafts affect how long a response takes and never its content.
 */
package dev.varve.api.speculation;
