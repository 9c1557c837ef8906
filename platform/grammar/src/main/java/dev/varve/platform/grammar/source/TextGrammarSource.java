package dev.varve.platform.grammar.source;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.GrammarSource;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.gbnf.Gbnf;
import dev.varve.platform.grammar.pattern.PatternException;
import dev.varve.platform.grammar.pattern.Patterns;
import dev.varve.platform.grammar.pattern.StringEscaping;
import dev.varve.platform.grammar.pattern.TextRegexBuilder;
import dev.varve.platform.grammar.schema.SchemaCompiler;
import dev.varve.platform.grammar.schema.SchemaOptions;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

import java.util.List;

/** A grammar source of a kind that clients request. Immutable. */
public sealed interface TextGrammarSource extends GrammarSource {
    /**
     * A JSON value that is valid.
     *
     * @param schema must not be modified any more
     */
    record Schema(JsonNode schema) implements TextGrammarSource {
        @Override
        public String key() {
            return "schema " + schema;
        }

        @Override
        public int build(GrammarBuilder builder) {
            return new SchemaCompiler(builder, SchemaOptions.DEFAULT).compile(schema);
        }
    }

    /** A text that a regular expression of ECMA-262 matches from beginning to end. */
    record Pattern(String pattern) implements TextGrammarSource {
        @Override
        public String key() {
            return "pattern " + pattern;
        }

        @Override
        public int build(GrammarBuilder builder) {
            TextRegexBuilder text = new TextRegexBuilder(builder.store(), StringEscaping.PLAIN);
            try {
                return builder.terminal(new Patterns(text).whole(pattern));
            } catch (PatternException e) {
                throw new GrammarException("", e.getMessage());
            }
        }
    }

    /** One of some texts. */
    record Choice(List<String> texts) implements TextGrammarSource {
        /** Copies the texts. */
        public Choice {
            texts = List.copyOf(texts);
        }

        @Override
        public String key() {
            StringBuilder key = new StringBuilder("choice");
            texts.forEach(text -> key.append(' ').append(text.length()).append(' ').append(text));
            return key.toString();
        }

        @Override
        public int build(GrammarBuilder builder) {
            return builder.terminal(builder.store().oneOf(texts));
        }
    }

    /** A text of a grammar in GBNF. */
    record Rules(String gbnf) implements TextGrammarSource {
        @Override
        public String key() {
            return "gbnf " + gbnf;
        }

        @Override
        public int build(GrammarBuilder builder) {
            return Gbnf.compile(gbnf, builder);
        }
    }

    /** Any JSON object. */
    static TextGrammarSource anyObject() {
        return new Schema(JsonNodeFactory.instance.objectNode().put("type", "object"));
    }
}
