package dev.varve.platform.template;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

/** Templates and variables that try to use up memory, time or the stack, or to reach outside. */
@Timeout(120)
class HostileTemplateTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
                "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a()"
                        + " }}",
                "{% for x in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}",
                "{% set ns = namespace(s='ab') %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s"
                        + " %}{% endfor %}",
                "{% set ns = namespace(s='ab') %}{% for i in range(100) %}{% set ns.s = ns.s ~ ns.s"
                        + " %}{% endfor %}",
                "{% set ns = namespace(s='ab') %}{% for i in range(100) %}{% set ns.s ="
                        + " ns.s.replace('a', ns.s) %}{% endfor %}",
                "{% set ns = namespace(l=[1]) %}{% for i in range(100) %}{% set ns.l = ns.l + ns.l"
                        + " %}{% endfor %}",
                "{% set l = [1] %}{% for i in range(100) %}{{ l.extend(l) }}{% endfor %}",
                "{% for i in range(10 ** 9) %}{% endfor %}",
                "{{ range(10 ** 30) | length }}",
                "{{ 'a' * 10 ** 9 }}",
                "{{ 'a' * 10 ** 30 }}",
                "{{ [0] * 10 ** 9 }}",
                "{{ 10 ** (10 ** 10) }}",
                "{{ (10 ** 4000) ** 4000 }}",
                "{{ 'a'.center(10 ** 9) }}",
                "{{ 'a' | center(10 ** 9) }}",
                "{{ 'a'.zfill(10 ** 9) }}",
                "{{ '%999999999d' % 1 }}",
                "{{ '%.999999999f' % 1.5 }}",
                "{{ '{:999999}'.format(1) * 100000 }}",
                "{{ ('a\\n' * 100000) | indent(10 ** 6) }}",
                "{{ [1] | batch(10 ** 9, 0) | list }}",
                "{{ [1] | slice(10 ** 9) | list }}",
                "{{ [[1]] | tojson(indent=10 ** 9) }}",
                "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
                "{% for a in range(99999) %}{{ 'x' * 10000 }}{% endfor %}",
                "{% set s = 'a' * 4000000 %}{{ (s ~ 'b') in s }}{{ ('a' * 2000000 ~ 'b') in s }}",
                "{% set s = 'a' * 8000000 %}{% for a in range(99999) %}{% if s == s ~ '' %}{% endif"
                        + " %}{% endfor %}",
                "{% set s = 'a' * 8000000 %}{% for a in range(99999) %}{% if s | length %}{% endif"
                        + " %}{% endfor %}",
                "{% set s = 'a' * 8000000 %}{{ s | list | length }}",
                "{% set s = 'a,' * 4000000 %}{{ s.split(',') | length }}",
                "{% set n = 10 ** 4200 %}{% for a in range(99999) %}{% for b in range(99) %}{{ n"
                        + " }}{% endfor %}{% endfor %}",
                "{% set l = [] %}{% for a in range(999) %}{{ l.append(range(99999) | list) }}{%"
                        + " endfor %}",
                "{% set l = [] %}{{ l.append(l) }}{{ l }}",
                "{% set l = [] %}{{ l.append(l) }}{{ l | tojson }}",
                "{% set l = [] %}{{ l.append(l) }}{% set k = [] %}{{ k.append(k) }}{{ l == k }}",
                "{% set d = {} %}{% do d.update(a=d) %}{{ d }}"
            })
    @ByDay(except = {26})
    void excessiveWorkFailsAtTheLimits(String source) {
        Map<String, Object> none = Map.of();

        TemplateException error =
                assertThrows(
                        TemplateException.class, () -> ChatTemplate.compile(source).render(none));

        assertTrue(error.getMessage().startsWith("chat template line 1: "), error.getMessage());
        assertFalse(error.raisedByTemplate(), source);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(",
                "[",
                "{1:",
                "-",
                "not ",
                "a[",
                "f(",
                "a if ",
                "a or (",
                "{% if 1 %}",
                "{{ "
            })
    void deepNestingIsACompileError(String opening) {
        boolean tag = opening.startsWith("{%") || opening.startsWith("{{ ");
        String source = (tag ? "" : "{{ ") + opening.repeat(100_000);

        assertThrows(TemplateException.class, () -> ChatTemplate.compile(source));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".a", "[0]", "()", "|list", " + 1", " ~ 1", " and 1", " == 1", " ** 1", " if 1",
                "|d(1)"
            })
    void longChainsNeverExhaustTheStack(String link) {
        String source = "{{ 1" + link.repeat(50_000) + " }}";
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Runnable work =
                () -> {
                    try {
                        ChatTemplate.compile(source).render(Map.of());
                    } catch (TemplateException e) {
                        // Refusing is as good as rendering.
                    }
                };

        onSmallStack(work, failure);

        assertEquals(null, failure.get(), link);
    }

    @Test
    void recursionOnASmallStackIsATemplateException() {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        ChatTemplate template =
                ChatTemplate.compile(
                        "{% macro m() %}{% if 1 %}{{ (((m()))) }}{% endif %}{% endmacro %}{{ m()"
                                + " }}");

        onSmallStack(
                () -> assertThrows(TemplateException.class, () -> template.render(Map.of())),
                failure);

        assertEquals(null, failure.get());
    }

    private static void onSmallStack(Runnable work, AtomicReference<Throwable> failure) {
        Thread thread = new Thread(null, work, "small stack", 200_000);
        thread.setUncaughtExceptionHandler((t, e) -> failure.set(e));
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "''.__class__",
                "[].__class__",
                "{}.__class__",
                "user.__class__",
                "(1).__init__",
                "range.__globals__",
                "user['__class__']",
                "''|attr('__class__')",
                "user.getClass",
                "user.class",
                "user.hashCode",
                "''.getBytes",
                "m.__code__",
                "namespace().__dict__",
                "loop_of.__init__"
            })
    void onlyGivenDataIsReachable(String expression) {
        Map<String, Object> variables = Map.of("user", Map.of("name", "x"), "loop_of", List.of(1));

        String text =
                ChatTemplate.compile(
                                "{% macro m() %}{% endmacro %}{{ ("
                                        + expression
                                        + ") is undefined }}")
                        .render(variables)
                        .text();

        assertEquals("True", text);
    }

    @Test
    void cyclicVariablesAreRefused() {
        List<Object> list = new ArrayList<>();
        list.add(list);

        TemplateException error =
                assertThrows(
                        TemplateException.class,
                        () -> ChatTemplate.compile("x").render(Map.of("list", list)));

        assertTrue(error.getMessage().contains("nests deeper"), error.getMessage());
    }

    @Test
    void nonDataTypesAreRefused() {
        assertThrows(
                TemplateException.class,
                () -> ChatTemplate.compile("x").render(Map.of("thread", new Object())));
    }

    @Test
    void outputStopsAtItsLimit() {
        TemplateLimits limits = new TemplateLimits(1_000_000, 100, 1_000, Duration.ofMinutes(1));
        ChatTemplate template =
                ChatTemplate.compile(
                        "{% for i in range(1001) %}x{% endfor %}", limits, TemplateCases.CLOCK);

        TemplateException error =
                assertThrows(TemplateException.class, () -> template.render(Map.of()));

        assertTrue(error.getMessage().contains("1000 characters"), error.getMessage());
    }

    /**
     * 20,000 inputs put together from pieces of the language: whatever happens, it happens as a
     * template error.
     */
    @Test
    void randomTokensThrowOnlyTemplateExceptions() {
        String[] pieces = {
            "{{",
            "}}",
            "{%",
            "%}",
            "{#",
            "#}",
            "-",
            "+",
            "{{-",
            "-}}",
            "{%-",
            "-%}",
            " ",
            "\n",
            "if",
            "else",
            "elif",
            "endif",
            "for",
            "in",
            "endfor",
            "set",
            "endset",
            "macro",
            "endmacro",
            "call",
            "endcall",
            "filter",
            "endfilter",
            "raw",
            "endraw",
            "with",
            "endwith",
            "generation",
            "endgeneration",
            "x",
            "y",
            "m",
            "loop",
            "messages",
            "'a'",
            "\"b\"",
            "'",
            "\\",
            "1",
            "2.5",
            "0x",
            "1e5",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ".",
            ",",
            ":",
            "|",
            "~",
            "*",
            "**",
            "/",
            "//",
            "%",
            "=",
            "==",
            "!=",
            "<",
            ">=",
            "is",
            "not",
            "and",
            "or",
            "none",
            "true",
            "upper",
            "join",
            "tojson",
            "map",
            "select",
            "sort",
            "length",
            "items",
            "first",
            "format",
            "range",
            "namespace",
            "dict",
            "caller",
            "varargs",
            "split",
            "replace",
            "string",
            "defined",
            "break",
            "continue",
            "do",
            "recursive",
            "\u00e9",
            "\ud83d",
            "\u0000",
            "{{ x }}",
            "{{ 'a'|",
            "{% if x %}",
            "{% endif %}",
            "{% for x in messages %}",
            "{% endfor %}",
            "{{ x.",
            "{{ messages[",
            "{% set x = "
        };
        Map<String, Object> variables = new HashMap<>();
        variables.put("x", null);
        variables.put("y", 7);
        variables.put("messages", List.of(Map.of("role", "user", "content", "Hi"), "text", 1.5));
        TemplateLimits limits = new TemplateLimits(20_000, 200, 20_000, Duration.ofMinutes(1));
        Random random = new Random(4711);
        for (int run = 0; run < Effort.of(1200, 20_000); run++) {
            StringBuilder source = new StringBuilder(run % 2 == 0 ? "{{ " : "");
            for (int i = random.nextInt(24); i >= 0; i--) {
                source.append(pieces[random.nextInt(pieces.length)])
                        .append(random.nextBoolean() ? " " : "");
            }
            source.append(run % 4 == 0 ? " }}" : "");
            try {
                ChatTemplate.compile(source.toString(), limits, TemplateCases.CLOCK)
                        .render(variables);
            } catch (TemplateException e) {
                assertTrue(e.line() >= 1, source.toString());
            } catch (RuntimeException | Error e) {
                throw new AssertionError("run " + run + ": " + source, e);
            }
        }
    }

    /** Recorded templates with characters dropped, doubled and swapped. */
    @Test
    void damagedTemplatesThrowOnlyTemplateExceptions() {
        List<String> sources = new ArrayList<>();
        TemplateCases.resource("snippets.json")
                .path("cases")
                .forEach(node -> sources.add(node.path("source").asString()));
        Map<String, Object> variables =
                TemplateCases.plain(TemplateCases.resource("snippets.json").path("variables"));
        TemplateLimits limits = new TemplateLimits(50_000, 200, 50_000, Duration.ofMinutes(1));
        Random random = new Random(1234);
        for (int run = 0; run < Effort.of(2000, 10_000); run++) {
            StringBuilder source = new StringBuilder(sources.get(random.nextInt(sources.size())));
            for (int edits = random.nextInt(3); edits >= 0 && !source.isEmpty(); edits--) {
                int at = random.nextInt(source.length());
                switch (random.nextInt(3)) {
                    case 0 -> source.deleteCharAt(at);
                    case 1 -> source.insert(at, source.charAt(random.nextInt(source.length())));
                    default -> source.setCharAt(at, (char) (32 + random.nextInt(96)));
                }
            }
            try {
                ChatTemplate.compile(source.toString(), limits, TemplateCases.CLOCK)
                        .render(variables);
            } catch (TemplateException e) {
                assertTrue(e.line() >= 1, source.toString());
            } catch (RuntimeException | Error e) {
                throw new AssertionError("run " + run + ": " + source, e);
            }
        }
    }

    @Test
    void slowTemplateIsTerminated() {
        TemplateLimits limits =
                new TemplateLimits(Long.MAX_VALUE, 1_000, 1 << 20, Duration.ofMillis(50));
        ChatTemplate template =
                ChatTemplate.compile(
                        "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{%"
                                + " endfor %}",
                        limits, TemplateCases.CLOCK);

        TemplateException refusal =
                assertThrows(TemplateException.class, () -> template.render(Map.of()));

        assertTrue(refusal.getMessage().contains("longer than 50 ms"), refusal.getMessage());
    }
}
