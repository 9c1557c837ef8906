package dev.varve.platform.http.ollama;

import dev.varve.platform.http.answer.HeartbeatFormat;
import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.answer.StreamKind;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.setting.SettingNames;

import java.util.List;
import java.util.function.Supplier;

/** Lines of a stream before its response begins: objects without text, and errors. */
record OllamaHeartbeat(OllamaSerializer.Shape shape, Supplier<String> model)
        implements HeartbeatFormat {
    @Override
    public List<StreamEvent> failure(ApiException error, SettingNames names) {
        return List.of(new StreamEvent.Data(ErrorForm.OLLAMA.body(error, names, "")));
    }

    @Override
    public StreamKind stream() {
        return StreamKind.NDJSON;
    }

    @Override
    public boolean isUsual() {
        return true;
    }

    @Override
    public List<StreamEvent> waiting() {
        return List.of(new OllamaSerializer(model.get(), shape).waiting());
    }
}
