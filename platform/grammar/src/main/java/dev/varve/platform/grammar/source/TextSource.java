package dev.varve.platform.grammar.source;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.GrammarSource;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.gbnf.Gbnf;
import dev.varve.platform.grammar.pattern.Encoding;
import dev.varve.platform.grammar.pattern.PatternException;
import dev.varve.platform.grammar.pattern.Patterns;
import dev.varve.platform.grammar.pattern.TextRegex;
import dev.varve.platform.grammar.schema.SchemaCompiler;
import dev.varve.platform.grammar.schema.SchemaOptions;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

import java.util.List;

/** A text of one of the kinds that clients ask for. Immutable. */
public sealed interface TextSource extends GrammarSource {
    /**
     * A JSON value that is valid.
     *
     * @param schema not changed any more
     */
    record Schema(JsonNode schema) implements TextSource {
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
    record Pattern(String pattern) implements TextSource {
        @Override
        public String key() {
            return "pattern " + pattern;
        }

        @Override
        public int build(GrammarBuilder builder) {
            TextRegex text = new TextRegex(builder.store(), Encoding.PLAIN);
            try {
                return builder.terminal(new Patterns(text).whole(pattern));
            } catch (PatternException e) {
                throw new GrammarException("", e.getMessage());
            }
        }
    }

    /** One of some texts. */
    record Choice(List<String> texts) implements TextSource {
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
    record Rules(String gbnf) implements TextSource {
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
    static TextSource anyObject() {
        return new Schema(JsonNodeFactory.instance.objectNode().put("type", "object"));
    }
}
