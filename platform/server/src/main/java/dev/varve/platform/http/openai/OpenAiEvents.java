package dev.varve.platform.http.openai;

import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** Makes events of chat and text completions: objects without names. */
final class OpenAiEvents {
    private OpenAiEvents() {}

    static List<StreamEvent> of(List<ObjectNode> chunks) {
        return chunks.stream().<StreamEvent>map(StreamEvent.Data::new).toList();
    }

    static List<StreamEvent> failure(ApiException error, SettingNames names) {
        return of(List.of(ErrorForm.OPENAI.body(error, names, "")));
    }
}
