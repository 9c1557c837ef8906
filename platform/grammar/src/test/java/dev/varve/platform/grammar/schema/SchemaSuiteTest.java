package dev.varve.platform.grammar.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The test suite of JSON Schema: each group of cases is refused, or right in every case. Formats
 * are narrower than the suite has them: valid strings may be rejected, invalid ones never accepted.
 */
class SchemaSuiteTest {
    /** Groups that are right; of those refused most need other documents or dynamic scopes. */
    private static final int RIGHT = 390;

    private final List<String> refused = new ArrayList<>();
    private final List<String> narrow = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private int groups;
    private int asked;

    /** Orders of properties. */
    enum Order {
        OF_THE_SCHEMA,
        ANY
    }

    @ParameterizedTest
    @EnumSource(Order.class)
    @ByDay(2)
    void everyGroupIsRefusedOrCorrect(Order order) throws IOException {
        Path folder =
                Path.of(System.getProperty("varve.test.shared", "")).resolve("schemas/suite/tests");
        assumeTrue(Files.isDirectory(folder), "no suite at varve.test.shared: " + folder);

        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".json")).toList()) {
                boolean formats = file.getParent().endsWith("format");
                SchemaOptions options =
                        formats ? SchemaOptions.DEFAULT : SchemaOptions.DEFAULT.withoutFormats();
                for (JsonNode group : CompiledSchema.JSON.readTree(Files.readString(file))) {
                    String name = file.getFileName() + ": " + group.get("description");
                    SchemaOptions ordered = order == Order.ANY ? options.inAnyOrder() : options;
                    check(name, group, ordered, formats);
                }
            }
        }

        System.out.println("of " + asked + " groups refused: " + refused.size() + " " + refused);
        System.out.println("strings of formats rejected: " + narrow.size() + " " + narrow);
        assertEquals(List.of(), wrong);
        assertTrue(asked - refused.size() >= RIGHT * asked / groups, refused.toString());
    }

    private void check(String name, JsonNode group, SchemaOptions options, boolean mayBeNarrow) {
        groups++;
        if (groups % Effort.of(4, 1) != 0) {
            return;
        }
        asked++;
        try {
            CompiledSchema schema = new CompiledSchema(group.get("schema"), options);
            for (JsonNode test : group.get("tests")) {
                boolean accepted = schema.acceptsValue(test.get("data"));
                if (accepted != test.get("valid").booleanValue()) {
                    (accepted || !mayBeNarrow ? wrong : narrow)
                            .add(name + ": " + test.get("description"));
                }
            }
        } catch (GrammarException | GrammarLimitException e) {
            refused.add(name + " " + e.getMessage());
        }
    }
}
