package dev.varve.platform.grammar.gbnf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.cfg.Recognizer;
import dev.varve.platform.grammar.regex.RegexStore;
import dev.varve.platform.grammar.regex.WorkBudget;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;

/** The meaning of GBNF grammars, by examples. */
class GbnfTest {
    private static final String JSON =
            """
            # a value of JSON
            root   ::= object
            value  ::= object | array | string | number | ("true" | "false" | "null") ws

            object ::=
              "{" ws (
                        string ":" ws value
                ("," ws string ":" ws value)*
              )? "}" ws

            array  ::=
              "[" ws (
                        value
                ("," ws value)*
              )? "]" ws

            string ::=
              "\\"" (
                [^"\\\\\\x7F\\x00-\\x1F] |
                "\\\\" (["\\\\bfnrt] | "u" [0-9a-fA-F]{4}) # escapes
              )* "\\"" ws

            number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws

            # Optional space: by convention, applied in this grammar after literal chars when allowed
            ws ::= | " " | "\\n" [ \\t]{0,20}
            """;

    private static Recognizer recognizer(String grammar) {
        WorkBudget budget = new WorkBudget();
        budget.allow(1L << 30);
        GrammarBuilder builder = new GrammarBuilder(new RegexStore(budget));
        return new Recognizer(builder.build(Gbnf.compile(grammar, builder)));
    }

    private static boolean matches(Recognizer recognizer, String text) {
        return recognizer.next(recognizer.start(), text.getBytes(StandardCharsets.UTF_8)).accepts();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '~',
            value = {
                "{}                           ~ true",
                "{\"a\": [1, -2.5e3, {}], \"b\\n\": null} ~ true",
                "{\"a\": \"\\x\"}             ~ false",
                "[]                           ~ false",
                "{\"a\":}                     ~ false",
            })
    void usualJsonGrammarIsParsed(String text, boolean valid) {
        assertEquals(valid, matches(recognizer(JSON), text));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = ';',
            value = {
                "root ::= \"a\" root \"b\" | \"\"              ; aabb   ; true",
                "root ::= \"a\" root \"b\" | \"\"              ; aab    ; false",
                "root ::= root \"a\" | \"b\"                   ; baa    ; true",
                "root ::= \"a\" root | \"b\"                   ; aab    ; true",
                "root ::= (\"a\" root)?                        ; aaa    ; true",
                "root ::= [a-c-]{2,3}                          ; a-     ; true",
                "root ::= [^a]                                 ; é      ; true",
                "root ::= [^a]                                 ; a      ; false",
                "root ::= .                                    ; 😀     ; true",
                "root ::= \"\\u00e9\\U0001F600\\x41\"          ; é😀A   ; true",
                "root ::= [\\]\\[]+                            ; ][     ; true",
                "root ::= my-rule_2 my-rule_2            ; aa     ; true",
                "root ::= x+ y* z?                             ; xxyyz  ; true",
                "root ::= \"a\"{2,}                            ; aaa    ; true",
                "root ::= \"a\"{2,}                            ; a      ; false",
                "root ::= \"a\"{,2}                            ; aa     ; true",
            })
    void constructsHaveTheirMeaning(String grammar, String text, boolean valid) {
        String rules = "\nmy-rule_2 ::= \"a\"\nx ::= \"x\"\ny ::= \"y\"\nz ::= \"z\"\n";
        assertEquals(valid, matches(recognizer(grammar + rules), text));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = ';',
            value = {
                "rot ::= \"a\"                  ; no rule root",
                "root ::= b                     ; line 1, column 10: the rule b is not defined",
                "root ::= \"a\"|root ::= \"b\"  ; line 2, column 1: the rule root is defined twice",
                "root ::= \"a                   ; line 1, column 10: a literal has no end",
                "root ::= [a                    ; line 1, column 10: a class has no end",
                "root ::= (\"a\"                ; line 1, column 10: a group has no end",
                "root ::= [b-a]                 ; a range ends before it begins",
                "root ::= \"\\q\"               ; line 1, column 11: an unknown escape",
                "root ::= \"\\ud800\"           ; expected a character of Unicode",
                "root ::= *                     ; nothing to repeat",
                "root ::= \"a\"{3,2}            ; exceeds its upper bound",
                "root ::= \"a\"{70000}          ; more than 65536 times",
                "root ::= root \"a\"            ; matches no finite text",
                "root: \"a\"                    ; expected '::='",
                "root ::= 'a'                   ; double quotes",
                "root ::= <think>               ; tokens are not supported",
                "root ::= \"a\" )               ; expected the end of the rule",
                "root ::= \"a\" b ::= \"c\"     ; a line of its own",
                "root ::= |b ::= \"c\"          ; must be written as",
            })
    void errorsNameTheirPosition(String grammar, String message) {
        GrammarException failure =
                assertThrows(GrammarException.class, () -> recognizer(grammar.replace("|", "\n")));

        assertTrue(failure.getMessage().contains(message), failure.getMessage());
    }

    @Test
    void ruleEndsWithItsLineExceptBeforeBars() {
        Recognizer recognizer =
                recognizer("root ::= \"a\" # first\n\n  | b |\n  \"c\"\r\nb ::= \"b\"");

        assertTrue(
                matches(recognizer, "a") && matches(recognizer, "b") && matches(recognizer, "c"));
    }

    @Test
    void deepNestingIsRefused() {
        String deep = "root ::= " + "(".repeat(100_000);

        assertThrows(GrammarException.class, () -> recognizer(deep));
    }
}
