/**
 * Grammars of JSON values that are valid against a JSON schema.
 *
 * <p>{@link dev.varve.platform.grammar.schema.SchemaCompiler} is the way in. A schema is read into
 * {@link dev.varve.platform.grammar.schema.NormalForm}s: sets of values, type by type, closed under
 * intersection, union and complement, whose parts are {@link
 * dev.varve.platform.grammar.schema.Formula}s that are looked into when somebody asks. From these
 * the rules are written.
 */
package dev.varve.platform.grammar.schema;
