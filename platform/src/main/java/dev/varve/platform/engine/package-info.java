/**
 * The engine: admits requests, decodes several sequences together and reports tokens. It works on
 * token ids; text belongs to its callers.
 */
package dev.varve.platform.engine;
