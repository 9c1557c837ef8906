package dev.varve.platform.cli;

import dev.varve.platform.check.CheckGroup;
import dev.varve.platform.check.CheckResult;
import dev.varve.platform.check.CheckStatus;
import dev.varve.platform.check.Verdict;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Arrays;

/**
 * Results of checks as JSON: {@code device}, {@code group}, {@code check}, {@code result}, {@code
 * expected}, {@code found} and {@code seconds}.
 */
final class CheckJson {
    private CheckJson() {}

    static void put(ObjectNode target, CheckResult result) {
        target.put("device", result.device())
                .put("group", result.group().word())
                .put("check", result.name())
                .put("result", result.verdict().status().word())
                .put("expected", result.verdict().expected())
                .put("found", result.verdict().found())
                .put("seconds", Math.round(result.seconds() * 1000) / 1000.0);
    }

    static CheckResult parse(JsonNode node) {
        return new CheckResult(
                node.get("device").stringValue(),
                group(node.get("group").stringValue()),
                node.get("check").stringValue(),
                new Verdict(
                        CheckStatus.parse(node.get("result").stringValue()),
                        node.get("expected").stringValue(),
                        node.get("found").stringValue()),
                node.get("seconds").doubleValue());
    }

    static CheckGroup group(String word) {
        return Arrays.stream(CheckGroup.values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow();
    }
}
