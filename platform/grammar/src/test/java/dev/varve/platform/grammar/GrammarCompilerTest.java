package dev.varve.platform.grammar;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.preemption.PreemptionPoint;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import java.util.concurrent.atomic.AtomicInteger;

class GrammarCompilerTest {
    /** Names of properties by patterns that no name matches two of. */
    private static TextGrammarSource patterns(int count) {
        ObjectNode schema = JsonNodeFactory.instance.objectNode();
        ObjectNode patterns = schema.putObject("patternProperties");
        for (int i = 0; i < count; i++) {
            patterns.putObject("^a.*0z" + i + "$").put("const", i);
        }
        return new TextGrammarSource.Schema(schema);
    }

    @Test
    void tensOfRegexPatternsAreCompiled() {
        assertDoesNotThrow(() -> GrammarCompiler.check(patterns(24)));
    }

    @Test
    void expensiveSchemaIsRefusedWithItsCost() {
        GrammarException refused =
                assertThrows(GrammarException.class, () -> GrammarCompiler.check(patterns(200)));

        assertTrue(
                refused.getMessage()
                        .startsWith("the grammar is too complex: compiling it took more than "),
                refused.getMessage());
    }

    @Test
    void otherWorkRunsWhileALargeSchemaIsCompiled() throws Exception {
        AtomicInteger points = new AtomicInteger();

        PreemptionPoint.schedule(
                points::incrementAndGet,
                () -> {
                    GrammarCompiler.check(patterns(24));
                    return null;
                });

        assertTrue(points.get() >= 100, "points " + points);
    }
}
