package dev.varve.platform.http.anthropic;

import dev.varve.platform.http.answer.HeartbeatFormat;
import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.setting.SettingNames;

import java.util.List;

/** Events of {@code /v1/messages} before a message begins: pings and errors. */
enum MessagesHeartbeat implements HeartbeatFormat {
    INSTANCE;

    @Override
    public List<StreamEvent> failure(ApiException error, SettingNames names) {
        return List.of(MessagesSerializer.named(ErrorForm.ANTHROPIC.body(error, names, "")));
    }

    @Override
    public List<StreamEvent> waiting() {
        return List.of(MessagesSerializer.ping());
    }
}
