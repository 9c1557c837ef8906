package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.cfg.Grammar;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.cfg.ParseState;
import dev.varve.platform.grammar.cfg.Recognizer;
import dev.varve.platform.grammar.regex.RegexStore;
import dev.varve.platform.grammar.regex.WorkBudget;

import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.charset.StandardCharsets;

/** A schema as a recognizer of texts. */
final class CompiledSchema {
    static final JsonMapper JSON =
            JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

    private static final long FUEL = 20_000_000;

    private final WorkBudget budget = new WorkBudget();
    private final Recognizer recognizer;
    private final CanonicalJsonWriter canonical;

    CompiledSchema(JsonNode schema, SchemaOptions options) {
        budget.allow(FUEL);
        GrammarBuilder builder = new GrammarBuilder(new RegexStore(budget));
        Grammar grammar = builder.build(new SchemaCompiler(builder, options).compile(schema));
        recognizer = new Recognizer(grammar);
        canonical = new CanonicalJsonWriter(schema, store(), options);
    }

    private static RegexStore store() {
        WorkBudget much = new WorkBudget();
        much.allow(Long.MAX_VALUE);
        return new RegexStore(much);
    }

    static CompiledSchema of(String schema) {
        return of(schema, SchemaOptions.DEFAULT);
    }

    static CompiledSchema of(String schema, SchemaOptions options) {
        return new CompiledSchema(JSON.readTree(schema), options);
    }

    /** Whether a text belongs to it. */
    boolean accepts(String text) {
        budget.allow(FUEL);
        ParseState end = recognizer.next(recognizer.start(), text.getBytes(StandardCharsets.UTF_8));
        return end.accepts();
    }

    /** Whether a text may go on to one that belongs to it, or does. */
    boolean mayGoOn(String text) {
        budget.allow(FUEL);
        return !recognizer.next(recognizer.start(), text.getBytes(StandardCharsets.UTF_8)).isDead();
    }

    /** Whether the text belongs to it that a value is written as. */
    boolean acceptsValue(JsonNode value) {
        return accepts(canonical.of(value));
    }

    CanonicalJsonWriter canonical() {
        return canonical;
    }
}
