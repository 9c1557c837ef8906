package dev.varve.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.ConfigurationProperties;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The metadata for editors describes each property, with its type. */
class PropertiesMetadataTest {
    private static final Map<Class<?>, Class<?>> BOXES = Map.of(int.class, Integer.class);

    @Test
    void everyPropertyIsDescribed() throws Exception {
        Map<String, String> expected =
                Stream.of(VarveProperties.class, VarveEmbeddingProperties.class)
                        .flatMap(type -> Arrays.stream(type.getRecordComponents()))
                        .collect(
                                Collectors.toMap(
                                        PropertiesMetadataTest::name,
                                        PropertiesMetadataTest::type));

        Map<String, String> found = new TreeMap<>();
        try (InputStream file =
                VarveProperties.class.getResourceAsStream(
                        "/META-INF/spring-configuration-metadata.json")) {
            for (JsonNode property : JsonMapper.shared().readTree(file).get("properties")) {
                found.put(property.get("name").asString(), property.get("type").asString());
            }
        }

        assertEquals(new TreeMap<>(expected), found);
    }

    private static String name(RecordComponent component) {
        String prefix =
                component.getDeclaringRecord().getAnnotation(ConfigurationProperties.class).value();
        return prefix
                + "."
                + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static String type(RecordComponent component) {
        return BOXES.getOrDefault(component.getType(), component.getType()).getName();
    }
}
