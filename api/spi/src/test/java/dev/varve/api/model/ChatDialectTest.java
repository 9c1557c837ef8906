package dev.varve.api.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.ToolSyntax.Frame;
import dev.varve.api.model.ToolSyntax.Json;
import dev.varve.api.model.ToolSyntax.Named;
import dev.varve.api.model.ToolSyntax.Spacing;
import dev.varve.api.model.ToolSyntax.Tagged;
import dev.varve.api.model.ToolSyntax.Tags;

import org.junit.jupiter.api.Test;

import java.util.Optional;

class ChatDialectTest {
    private static final Tags CALL = new Tags("<call>", "</call>");
    private static final Tags NAME = new Tags("<name=", ">");
    private static final Tags KEY = new Tags("<key=", ">");
    private static final Tags VALUE = new Tags("", "</key>");

    @Test
    void dialectByTemplateHasNoMarksOfItsOwn() {
        assertTrue(ChatDialect.byTemplate().isByTemplate());
        assertFalse(ChatDialect.plain().isByTemplate());
        assertThrows(
                IllegalArgumentException.class,
                () -> new ChatDialect(Optional.of(ReasoningMarks.think()), Optional.empty(), true));
    }

    @Test
    void forcedCallIsSpelledAsTheSyntaxSays() {
        assertEquals("\n{\"name\": \"f\", \"arguments\": ", begin(new Json("<call>", "</call>")));
        assertEquals("[{\"name\": \"f\", \"x\": ", begin(new Json("[C]", "", "x", Frame.ARRAY)));
        assertEquals(
                "{\"name\": \"f\", \"parameters\": ",
                begin(new Json("<call>", "", "parameters", Frame.WHOLE_RESPONSE)));
        assertEquals("\n<name=f>\n", begin(new Tagged(CALL, NAME, KEY, VALUE, "</name>")));
        assertEquals(
                "<name=f>",
                begin(new Tagged(CALL, NAME, KEY, VALUE, "</name>", Spacing.NONE, false)));
        assertEquals("<a>f<b>", begin(new Named(CALL, new Tags("<a>", "</a>"), "", "<b>")));
        assertEquals("f[ID]", begin(new Named(CALL, new Tags("", ""), "[ID]", "[ARGS]")));
    }

    private static String begin(ToolSyntax syntax) {
        return syntax.beforeName() + syntax.spelled("f") + syntax.afterName();
    }

    @Test
    void callsShareTheirMarksOnlyWhereTheSyntaxSaysSo() {
        assertEquals(Optional.empty(), new Json("<call>", "</call>").between());
        assertEquals(
                Optional.of(", {\"name\": \""), new Json("[C]", "", "x", Frame.ARRAY).between());
        assertEquals(
                Optional.of("<name="),
                new Tagged(CALL, NAME, KEY, VALUE, "</name>", Spacing.LINES, true).between());
        assertEquals(
                Optional.empty(), new Named(new Tags("[C]", ""), CALL, "", "[ARGS]").between());
    }
}
