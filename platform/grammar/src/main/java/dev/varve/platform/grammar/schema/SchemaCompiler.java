package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.regex.GrammarLimitException;

import tools.jackson.databind.JsonNode;

/**
 * Compiles JSON schemas to grammars whose texts are valid JSON values, and only those. For one
 * thread at a time.
 *
 * <p>Schemas are read as draft 2020-12 unless they declare another one, with the keywords that
 * drafts 4 to 7 had; unknown keywords forbid nothing. A schema that cannot be enforced exactly is
 * rejected; no constraint is dropped.
 *
 * <p>Not every text of every valid value belongs to the grammar. The properties of an object come
 * in the order of the schema, unless {@link SchemaOptions#anyOrder} permits others, followed by
 * undeclared ones. Constrained strings have only the necessary escapes; constrained numbers have no
 * exponent, and whole ones no fraction. {@link CanonicalJsonWriter} writes a text that belongs to
 * it.
 */
public final class SchemaCompiler {
    private final GrammarBuilder builder;
    private final SchemaOptions options;

    /**
     * @param builder receives the symbols and rules
     */
    public SchemaCompiler(GrammarBuilder builder, SchemaOptions options) {
        this.builder = builder;
        this.options = options;
    }

    /**
     * Returns the symbol of a JSON text, without white space around it, that is valid against a
     * schema.
     *
     * @param schema an object, true or false; numbers in it should be decimals, not doubles
     * @throws GrammarException if the schema is malformed or cannot be enforced exactly
     * @throws GrammarLimitException if it is too large or too complex
     */
    public int compile(JsonNode schema) {
        SchemaNormalizer model = new SchemaNormalizer(schema, builder.store(), options);
        return new ValueRules(model, builder, options).compile(model.root());
    }
}
