"""What one can choose at a table: games, rules with their switches, bots; all from the registry and the games themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from kibitz import registry
from kibitz.bots.bot import CHEATER, Bot
from kibitz.games.face import GamePage, Guide
from kibitz.play.explaining import default_adviser
from kibitz.play.seat import is_search
from kibitz.table.offered import OfferedBot, Offers
from kibitz.table.pages import STATIC
from kibitz.table.schemas import BotShown, GameShown, GuidePartShown, GuideShown, PresetShown, SuggestedShown, SwitchShown, ValueShown


def games_with(offers: Offers) -> list[GameShown]:
    """Every game with all that one can choose, the bots that the server's owner offers among it."""
    return [game.model_copy(update={"offered": [_offered(bot) for bot in offers.of_game(game.name)]}) for game in games()]


@cache
def games() -> list[GameShown]:
    """Every game with all that one can choose anywhere."""
    return [_game(name) for name in registry.BUILT_IN]


def _game(name: str) -> GameShown:
    definition = registry.game(name)
    rules = definition.rule_book
    usual = rules.PRESETS[definition.default_rules]

    def values_of(chosen: object) -> dict[str, str]:
        return {switch: rules.switch_text(switch, getattr(chosen, switch)) for switch in rules.SWITCHES}

    page, folder = page_of(name), folder_of(name)

    def address(file: str) -> str | None:
        return f"/static/games/{name}/{file}" if (folder / file).is_file() else None

    numbers = range(2, definition.max_players + 1)
    return GameShown(
        name=name,
        title=definition.title,
        min_players=2,
        max_players=definition.max_players,
        cooperative=definition.cooperative,
        has_contests=definition.has_contests,
        default_rules=definition.default_rules,
        presets=[PresetShown(name=each, about=rules.SUMMARIES[each], switches=values_of(rules.PRESETS[each])) for each in rules.PRESETS],
        switches=[
            SwitchShown(
                name=each,
                about=switch.meaning,
                values=[ValueShown(name=value, about=about) for value, about in switch.values.items()],
                low=None if switch.values else switch.low,
                high=None if switch.values else switch.high,
                also=switch.also,
                default=values_of(usual)[each],
            )
            for each, switch in rules.SWITCHES.items()
        ],
        bots=[_bot(registry.built_in_bot(each, name), definition.max_players) for each in registry.BUILT_IN[name]],
        offered=[],
        adviser=default_adviser(name, 2),
        advisers={str(players): default_adviser(name, players) for players in numbers},
        also_asked=list(definition.face.further_advisers),
        about=page.about,
        notice=page.notice,
        suggested=SuggestedShown(
            table=list(page.table_bots),
            rules=page.table_rules or definition.default_rules,
            film=list(page.film_bots),
            run=list(page.run_bots),
        ),
        face=address("face.js"),
        style=address("style.css"),
        pictures=[found for file in page.pictures if (found := address(file))],
        guide=_guide(definition.face.guide, address),
    )


def _guide(guide: Guide | None, address: Callable[[str], str | None]) -> GuideShown | None:
    if guide is None:
        return None
    parts = [
        GuidePartShown(heading=part.heading, text=part.text, picture=(part.picture and address(part.picture)) or "", alt=part.alt)
        for part in guide.parts
    ]
    return GuideShown(bot=guide.bot, title=guide.title, about=guide.about, parts=parts)


def page_of(name: str) -> GamePage:
    """What a game adds to the pages."""
    return registry.game(name).face.page


def folder_of(name: str) -> Path:
    """The folder with a game's own files for the pages; it need not exist."""
    return page_of(name).folder or STATIC / "games" / name


def own_folders() -> dict[str, Path]:
    """The folders of games that bring their own, by name: they are served beside the pages' files."""
    return {name: folder for name in registry.BUILT_IN if (folder := page_of(name).folder)}


def _bot(bot: Bot, most: int) -> BotShown:
    low, high = bot.players or (2, most)
    return BotShown(
        name=bot.name,
        about=bot.summary,
        presets=[preset for preset in bot.presets if preset],
        searches=is_search(registry.entrant(bot)),
        cheats=bot.sees_everything or bot.name.startswith(CHEATER),
        min_players=low,
        max_players=min(high, most),
    )


def _offered(bot: OfferedBot) -> BotShown:
    sees_all = isinstance(bot.entrant.bot, Bot) and bot.entrant.bot.sees_everything
    low, high = bot.players
    return BotShown(
        name=bot.name, about=bot.about, presets=[], searches=is_search(bot.entrant), cheats=sees_all, min_players=low, max_players=high
    )
