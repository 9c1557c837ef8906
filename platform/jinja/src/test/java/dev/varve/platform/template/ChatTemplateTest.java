package dev.varve.platform.template;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class ChatTemplateTest {
    private static String render(String source, Map<String, Object> variables) {
        return TemplateCases.compile(source).render(variables).text();
    }

    @Test
    void templateErrorMessageIsKeptVerbatim() {
        ChatTemplate template =
                ChatTemplate.compile("\n{{ raise_exception('Roles must alternate!') }}");

        TemplateException error =
                assertThrows(TemplateException.class, () -> template.render(Map.of()));

        assertEquals("Roles must alternate!", error.getMessage());
        assertTrue(error.raisedByTemplate());
        assertEquals(VarveException.Kind.INVALID_REQUEST, error.kind());
        assertEquals(2, error.line());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "1 ; {{ 1 + }}",
                "3 ; a\\n\\n{% if %}",
                "2 ; a\\n{{ missing.name }}",
                "4 ; {% macro m(x) %}\\n\\n\\n{{ x.y.z }}{% endmacro %}{{ m(1) }}",
                "3 ; {% for x in [1] %}\\n\\n{{ x + 'a' }}\\n{% endfor %}",
                "2 ; {{ [1,\\n 2] | nosuch }}",
                "2 ; \\n{# never closed",
                "3 ; {% if 1 %}\\n{% for x in [1] %}\\n{% endif %}",
            })
    void errorsNameTheLine(int line, String source) {
        TemplateException error =
                assertThrows(
                        TemplateException.class,
                        () -> ChatTemplate.compile(source.replace("\\n", "\n")).render(Map.of()));

        assertEquals(
                "chat template line " + line, error.getMessage().split(":")[0], error.getMessage());
    }

    @Test
    void variableTextNeverEntersAnErrorMessage() {
        TemplateException error =
                assertThrows(
                        TemplateException.class,
                        () -> render("{{ {'a': 1}[secret].x }}", Map.of("secret", "hunter2")));

        assertTrue(!error.getMessage().contains("hunter2"), error.getMessage());
    }

    @Test
    void javaValuesConvertToPythonValues() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put(
                "z",
                Arrays.asList(
                        1, 2L, new BigInteger("99999999999999999999"), 1.5, 0.1f, true, null, "s"));
        map.put("a", Map.of());

        assertEquals(
                "{\"z\": [1, 2, 99999999999999999999, 1.5, 0.1, true, null, \"s\"], \"a\": {}}",
                render("{{ v | tojson }}", Map.of("v", map)));
    }

    @Test
    void templateCannotChangeTheVariablesOfItsCaller() {
        List<Object> list = new ArrayList<>(List.of(1));

        String text = render("{% do v.append(2) %}{{ v }}", Map.of("v", list));

        assertEquals("[1, 2]", text);
        assertEquals(List.of(1), list);
    }

    @Test
    void datesUseTheGivenClock() {
        assertEquals("07 Mar 2026", render("{{ strftime_now('%d %b %Y') }}", Map.of()));
    }

    @Test
    void templateIsThreadSafe() throws Exception {
        ChatTemplate template =
                ChatTemplate.compile(
                        "{% set ns = namespace(s='') %}{% for i in range(200) %}{% set ns.s = ns.s"
                                + " ~ name %}{% endfor %}{{ ns.s }}");
        List<Future<String>> results = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 64; i++) {
                String name = "n" + i;
                results.add(pool.submit(() -> template.render(Map.of("name", name)).text()));
            }
        }

        for (int i = 0; i < results.size(); i++) {
            assertEquals(("n" + i).repeat(200), results.get(i).get());
        }
    }

    @Test
    void limitsMustBePositive() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new TemplateLimits(0, 1, 1, Duration.ofMinutes(1)));
    }
}
