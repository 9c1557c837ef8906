package dev.varve.release;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Works of a release as a document of CycloneDX 1.6 in JSON. Equal works give equal bytes: it has
 * no time, and its serial number is made from its components.
 *
 * <p>Source: https://cyclonedx.org/docs/1.6/json/
 */
final class BillOfMaterials {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private BillOfMaterials() {}

    /** Returns the document, which ends with a line break. */
    static String write(String version, List<Component> components) {
        ArrayNode list = JSON.createArrayNode();
        components.forEach(each -> list.add(node(each)));
        ObjectNode root = JSON.createObjectNode();
        root.put("bomFormat", "CycloneDX");
        root.put("specVersion", "1.6");
        byte[] content = list.toString().getBytes(StandardCharsets.UTF_8);
        root.put("serialNumber", "urn:uuid:" + UUID.nameUUIDFromBytes(content));
        root.put("version", 1);
        ObjectNode varve = root.putObject("metadata").putObject("component");
        varve.put("type", "application");
        varve.put("name", "varve");
        varve.put("version", version);
        root.set("components", list);
        return JSON.writeValueAsString(root) + "\n";
    }

    private static ObjectNode node(Component component) {
        ObjectNode node = JSON.createObjectNode();
        node.put("type", component.kind().label());
        node.put("bom-ref", component.purl());
        if (!component.group().isEmpty()) {
            node.put("group", component.group());
        }
        node.put("name", component.name());
        node.put("version", component.version());
        component
                .jar()
                .ifPresent(
                        jar -> {
                            ObjectNode hash = node.putArray("hashes").addObject();
                            hash.put("alg", "SHA-256");
                            hash.put("content", jar.sha256());
                        });
        ArrayNode licences = node.putArray("licenses");
        for (String each : component.licences()) {
            licences.addObject().putObject("license").put("id", each);
        }
        node.put("purl", component.purl());
        ArrayNode properties = node.putArray("properties");
        for (ShippedFile file : component.files()) {
            ObjectNode property = properties.addObject();
            property.put("name", "varve:file");
            property.put("value", file.path() + " sha256:" + file.sha256());
        }
        return node;
    }

    /** Reads what {@link #write} wrote; the files of the components are left out. */
    static List<Component> read(String document) {
        List<Component> components = new ArrayList<>();
        for (JsonNode each : JSON.readTree(document).path("components")) {
            List<String> licences = new ArrayList<>();
            each.path("licenses")
                    .forEach(one -> licences.add(one.path("license").path("id").asString("")));
            components.add(
                    new Component(
                            Component.Kind.LIBRARY,
                            each.path("group").asString(""),
                            each.path("name").asString(""),
                            each.path("version").asString(""),
                            each.path("purl").asString(""),
                            licences,
                            List.of()));
        }
        return List.copyOf(components);
    }
}
