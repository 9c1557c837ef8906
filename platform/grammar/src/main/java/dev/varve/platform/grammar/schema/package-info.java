/**
 * Grammars of JSON values that are valid against a JSON schema. Start with {@link SchemaCompiler}.
 *
 * <ul>
 *   <li>{@link Document}, {@link Subschema}, {@link SchemaEdition}, {@link Identifiers}: the schema
 *       document and its references;
 *   <li>{@link SchemaReader}, {@link ScalarKeywordReader}, {@link ArrayKeywordReader}, {@link
 *       ObjectKeywordReader}: from keywords to sets of values;
 *   <li>{@link NormalForm}: a set of values, type by type, of {@link NumberSet}, {@link StringSet},
 *       {@link ArraySpec} and {@link ObjectSpec}; their parts are {@link Formula}s, which {@link
 *       SchemaNormalizer} evaluates on demand;
 *   <li>{@link Algebra}, {@link ArrayAlgebra}, {@link ObjectAlgebra}: intersection, union and
 *       complement; {@link FormulaEmptinessCheck}, {@link Membership}, {@link FiniteValues}:
 *       questions about a set;
 *   <li>{@link ValueRules}, {@link ArrayRules}, {@link ObjectRules}: grammar rules of a set.
 * </ul>
 *
 * <p>They are one package because reading and evaluation call each other: a keyword is read into
 * formulas, and the evaluation of a formula reads further schemas. The rules use the same sets. Of
 * all these types other packages use three.
 */
package dev.varve.platform.grammar.schema;
