package dev.varve.platform.http.conversation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Random;

class BillingHeaderTest {
    private static final String NAME = BillingHeader.NAME;

    /**
     * {@code H} stands for the header, and the characters that lines are made of for themselves.
     */
    private static String text(String pattern) {
        return pattern.replace("H", NAME)
                .replace("\\n", "\n")
                .replace("\\r", "\r")
                .replace("\\t", "\t");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "H cch=1;                | H",
                "H cch=1;\\nrest         | H\\nrest",
                "H cch=1;\\r\\nrest      | H\\nrest",
                "H                       | H",
                "H\\n                    | H\\n",
                "a\\nH cch=1;\\nb        | a\\nH\\nb",
                "a\\n \\t\\rH cch=1;\\nb | a\\nH\\nb",
                "` \tH cch=1;\n`         | H\\n",
                "a\\n\\nH 1              | a\\n\\nH",
                "H 1\\nH 2\\nH 3         | H\\nH\\nH",
                "H 1 H 2\\nb             | H\\nb",
                // A header that does not begin a line, or has another spelling, is text.
                "see H cch=1;            | see H cch=1;",
                "`\u000bH cch=1;`        | `\u000bH cch=1;`",
                "see H 1\\nH 2           | see H 1\\nH",
                "X-Anthropic-Billing-Header: cch=1; | X-Anthropic-Billing-Header: cch=1;",
                "x-anthropic-billing-header cch=1;  | x-anthropic-billing-header cch=1;",
                "x-anthropic-billing-heade          | x-anthropic-billing-heade",
                "``                      | ``",
            })
    void headerLineIsReducedToItsName(String given, String expected) {
        assertEquals(text(expected), BillingHeader.mask(text(given)));
    }

    @Test
    void textWithoutTheHeaderIsUnchanged() {
        String text = "You are helpful.\r\n\tReally.\n";

        assertSame(text, BillingHeader.mask(text));
    }

    /** Lines are made of these pieces; the oracle looks at each line alone. */
    @Property(tries = 300)
    void eachLineIsCheckedSeparately(@ForAll long seed) {
        String[] pieces = {NAME, " ", "\t", "\r", "\n", "\n", "x", "cch=1;", NAME.substring(1)};
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(30); i > 0; i--) {
            text.append(pieces[random.nextInt(pieces.length)]);
        }
        String[] lines = text.toString().split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            lines[i] = lines[i].replaceFirst("^[ \t\r]*", "").startsWith(NAME) ? NAME : lines[i];
        }

        assertEquals(String.join("\n", lines), BillingHeader.mask(text.toString()), "seed " + seed);
    }

    /** The value may be as long as a body; nothing is looked at twice. */
    @Test
    void longTextTakesLinearTime() {
        String text = ("x " + NAME).repeat(200_000);

        assertEquals(text, BillingHeader.mask(text));
        assertEquals(NAME, BillingHeader.mask(NAME + text));
    }
}
