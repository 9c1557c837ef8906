/**
 * Grammars of JSON values that are valid against a JSON schema.
 *
 * <p>Start with {@link dev.varve.platform.grammar.schema.SchemaCompiler}. A schema is read into
 * {@link dev.varve.platform.grammar.schema.NormalForm}s: sets of values, type by type, closed under
 * intersection, union and complement, whose parts are {@link
 * dev.varve.platform.grammar.schema.Formula}s that are evaluated on demand. The rules are written
 * from these.
 */
package dev.varve.platform.grammar.schema;
