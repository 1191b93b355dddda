"""Which shapes and colours every category of thing comes in, and which of them only novel things have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..spec import Vec
from . import bottles, cutlery, decor, dishes, food, paper, personal, play, soft, tools
from .forms import Form
from .palette import BRIGHT, COLOURS, HELD_OUT_COLOURS, NEW

Maker = Callable[[Vec], Form]


@dataclass(frozen=True)
class Line:
    """The range of one category.

    Attributes:
        shapes: variant name → maker, for any house.
        colours: names in `palette.COLOURS`.
        held_out_shapes: variant name → maker, for novel things only.
        held_out_colours: names in `palette.HELD_OUT_COLOURS`.
    """

    shapes: dict[str, Maker]
    colours: tuple[str, ...]
    held_out_shapes: dict[str, Maker]
    held_out_colours: tuple[str, ...]

    def looks(self, novel: bool) -> tuple[tuple[str, str], ...]:
        """Every (variant, colour) of ordinary things, or of novel ones: a held-out shape in any colour, a known shape in a held-out colour."""
        if not novel:
            return tuple((v, c) for v in self.shapes for c in self.colours)
        fresh = tuple((v, c) for v in self.held_out_shapes for c in (*self.colours, *self.held_out_colours))
        return fresh + tuple((v, c) for v in self.shapes for c in self.held_out_colours)

    def maker(self, variant: str) -> Maker:
        return self.shapes[variant] if variant in self.shapes else self.held_out_shapes[variant]


def _line(colours: str, new_colours: str, shapes: dict[str, Maker], held_out: dict[str, Maker]) -> Line:
    bright = {"bright": BRIGHT, "new": NEW}
    known = tuple(dict.fromkeys(c for name in colours.split() for c in bright.get(name, (name,))))
    new = tuple(dict.fromkeys(c for name in new_colours.split() for c in bright.get(name, (name,))))
    assert set(known) <= set(COLOURS) and set(new) <= set(HELD_OUT_COLOURS)
    return Line(shapes, known, held_out, new)


LINES: dict[str, Line] = {
    # food
    "apple": _line("red green yellow", "maroon lime", {"round": food.apple, "leafy": food.apple_leafy}, {"tall": food.apple_tall}),
    "bread": _line("tan brown", "olive ivory", {"tin": food.bread, "round": food.bread_round}, {"baguette": food.bread_baguette}),
    "tomato": _line("red orange", "maroon gold", {"round": food.tomato, "beef": food.tomato_beef}, {"vine": food.tomato_vine}),
    "potato": _line("tan brown yellow", "maroon", {"oval": food.potato, "round": food.potato_round}, {"long": food.potato_long}),
    "lettuce": _line("green yellow", "lime maroon", {"head": food.lettuce}, {"romaine": food.lettuce_romaine}),
    "orange": _line("orange yellow", "coral gold", {"plain": food.orange, "leafy": food.orange_leafy}, {"flat": food.orange_flat}),
    "egg": _line("white tan brown", "mint ivory", {"plain": food.egg}, {"speckled": food.egg_speckled}),
    "banana": _line("yellow green", "gold lime", {"single": food.banana, "pair": food.banana_pair}, {"bunch": food.banana_bunch}),
    "pear": _line("green yellow brown", "lime olive", {"plain": food.pear, "leafy": food.pear_leafy}, {"long": food.pear_long}),
    "peach": _line("orange pink yellow", "coral", {"round": food.peach}, {"flat": food.peach_flat}),
    "plum": _line("purple blue red", "maroon navy", {"single": food.plum}, {"pair": food.plum_pair}),
    "lemon": _line("yellow green", "lime gold", {"long": food.lemon, "round": food.lemon_round}, {"leafy": food.lemon_leafy}),
    "strawberry": _line("red pink", "maroon coral", {"single": food.strawberry}, {"pair": food.strawberry_pair}),
    # dishes
    "mug": _line("bright white black", "new", {"tall": dishes.mug, "squat": dishes.mug_squat, "square": dishes.mug_square}, {"barrel": dishes.mug_barrel}),
    "cup": _line("white blue pink green red yellow", "teal lavender gold", {"tea": dishes.cup, "tumbler": dishes.cup_tumbler}, {"goblet": dishes.cup_goblet}),
    "bowl": _line("red blue green orange purple white", "teal coral mint", {"deep": dishes.bowl, "flared": dishes.bowl_flared, "wooden": dishes.bowl_wooden}, {"footed": dishes.bowl_footed}),
    "plate": _line("white blue pink yellow cyan green", "teal lavender maroon", {"flat": dishes.plate, "deep": dishes.plate_deep}, {"square": dishes.plate_square}),
    "pan": _line("black red brown blue", "teal olive", {"frying": dishes.pan, "saute": dishes.pan_saute}, {"wok": dishes.pan_wok}),
    "pot": _line("silver red blue green yellow", "teal maroon coral", {"tall": dishes.pot, "low": dishes.pot_low, "sauce": dishes.saucepan}, {"cauldron": dishes.pot_cauldron}),
    "kettle": _line("silver red black yellow green", "teal maroon coral", {"stove": dishes.kettle, "jug": dishes.kettle_jug}, {"teapot": dishes.kettle_teapot}),
    "lid": _line("silver red blue black green", "teal coral", {"domed": dishes.lid, "glass": dishes.lid_glass}, {"flat": dishes.lid_flat}),
    # cutlery and tools
    "knife": _line("black red brown blue green", "teal magenta", {"chef": cutlery.knife, "bread": cutlery.knife_bread}, {"cleaver": cutlery.knife_cleaver}),
    "fork": _line("black red brown blue white", "teal magenta", {"table": cutlery.fork, "carving": cutlery.fork_carving}, {"wooden": cutlery.fork_wooden}),
    "spoon": _line("black red brown blue white", "teal magenta", {"table": cutlery.spoon, "round": cutlery.spoon_round}, {"wooden": cutlery.spoon_wooden}),
    "ladle": _line("black red brown blue green", "teal magenta", {"deep": cutlery.ladle, "small": cutlery.ladle_small}, {"wide": cutlery.ladle_wide}),
    "spatula": _line("black red brown blue green", "teal magenta", {"slotted": cutlery.spatula, "scraper": cutlery.spatula_solid}, {"fish": cutlery.spatula_fish}),
    "scissors": _line("red blue black orange green", "magenta teal", {"closed": tools.scissors, "open": tools.scissors_open}, {"shears": tools.scissors_shears}),
    "hammer": _line("brown red blue yellow", "teal olive", {"claw": tools.hammer, "mallet": tools.hammer_wooden}, {"sledge": tools.hammer_sledge}),
    "screwdriver": _line("red yellow blue green orange", "magenta lime", {"long": tools.screwdriver, "stubby": tools.screwdriver_stubby}, {"tee": tools.screwdriver_tee}),
    "wrench": _line("red blue yellow black", "teal magenta", {"open": tools.wrench, "ring": tools.wrench_ring}, {"adjustable": tools.wrench_adjustable}),
    "drill": _line("yellow blue red green orange", "teal lime", {"long": tools.drill, "compact": tools.drill_compact}, {"corded": tools.drill_corded}),
    "clamp": _line("red blue orange green", "teal magenta", {"screw": tools.clamp, "spring": tools.clamp_spring}, {"bar": tools.clamp_bar}),
    "padlock": _line("yellow silver black red blue", "gold teal", {"square": tools.padlock, "round": tools.padlock_round}, {"long": tools.padlock_long}),
    # bottles, cans and cleaning
    "bottle": _line("green blue brown red purple", "teal magenta", {"water": bottles.bottle, "carafe": bottles.bottle_wide}, {"sport": bottles.bottle_sport}),
    "wine_bottle": _line("red black yellow blue white", "gold maroon", {"high": bottles.wine_bottle, "sloping": bottles.wine_bottle_sloping}, {"flask": bottles.wine_bottle_flask}),
    "can": _line("red green blue orange black yellow", "teal magenta", {"tin": bottles.can, "soda": bottles.can_soda}, {"flat": bottles.can_flat}),
    "salt_shaker": _line("blue red green black", "teal magenta", {"round": bottles.salt_shaker, "square": bottles.salt_shaker_square}, {"egg": bottles.salt_shaker_egg}),
    "pepper_shaker": _line("brown black red tan", "olive maroon", {"mill": bottles.pepper_shaker, "crank": bottles.pepper_shaker_crank}, {"tall": bottles.pepper_shaker_tall}),
    "watering_can": _line("green blue red yellow", "teal coral", {"tin": bottles.watering_can, "round": bottles.watering_can_oval}, {"narrow": bottles.watering_can_box}),
    "spray_bottle": _line("blue green orange pink white", "teal lime", {"round": bottles.spray_bottle, "flat": bottles.spray_bottle_flat}, {"cone": bottles.spray_bottle_cone}),
    "soap_bottle": _line("green pink cyan white purple", "lavender mint", {"pump": bottles.soap_bottle, "block": bottles.soap_bottle_square}, {"globe": bottles.soap_bottle_round}),
    "soap": _line("pink green yellow white cyan", "lavender mint", {"bar": soft.soap, "dish": soft.soap_dish}, {"rope": soft.soap_rope}),
    "sponge": _line("yellow pink cyan orange", "coral mint", {"block": soft.sponge, "waisted": soft.sponge_waisted}, {"bath": soft.sponge_round}),
    "toilet_paper": _line("white pink blue", "mint ivory", {"full": soft.toilet_paper, "used": soft.toilet_paper_small}, {"double": soft.toilet_paper_double}),
    "plunger": _line("red black orange brown", "maroon teal", {"cup": soft.plunger, "bellows": soft.plunger_bellows}, {"tee": soft.plunger_tee}),
    # paper and boxes
    "book": _line("red green blue purple black orange white", "navy teal maroon", {"closed": paper.book, "tome": paper.book_thick, "open": paper.book_open}, {"pair": paper.book_pair}),
    "newspaper": _line("grey red blue green", "teal maroon", {"folded": paper.newspaper, "rolled": paper.newspaper_rolled}, {"open": paper.newspaper_open}),
    "tissue_box": _line("blue green pink purple orange", "teal coral", {"flat": paper.tissue_box, "cube": paper.tissue_box_cube}, {"drum": paper.tissue_box_drum}),
    "box": _line("tan white blue pink red", "teal olive", {"carton": paper.carton, "crate": paper.crate, "basket": paper.basket}, {"hatbox": paper.hatbox}),
    # linen
    "pillow": _line("white red blue yellow purple green", "teal coral lavender", {"long": soft.pillow, "square": soft.pillow_square, "round": soft.pillow_round}, {"bolster": soft.pillow_bolster}),
    "towel": _line("white blue pink green orange", "teal lavender", {"folded": soft.towel, "rolled": soft.towel_rolled}, {"pair": soft.towel_stack}),
    "cloth": _line("red blue green yellow", "teal coral", {"flat": soft.cloth, "crumpled": soft.cloth_crumpled}, {"triangle": soft.cloth_folded}),
    # toys and sport
    "ball": _line("red blue green orange purple", "teal magenta", {"football": play.ball_football, "striped": play.ball_striped}, {"beach": play.ball_beach}),
    "basketball": _line("orange brown", "maroon navy", {"smooth": play.basketball, "grained": play.basketball_grained}, {"two_tone": play.basketball_two_tone}),
    "baseball_bat": _line("red blue black brown", "teal gold", {"wooden": play.baseball_bat, "metal": play.baseball_bat_metal}, {"short": play.baseball_bat_short}),
    "tennis_racket": _line("red blue black green yellow", "magenta lime", {"oval": play.tennis_racket}, {"round": play.tennis_racket_round}),
    "toy": _line("red blue yellow green orange", "teal magenta lime", {"car": play.toy, "truck": play.toy_truck}, {"train": play.toy_train}),
    "toy_airplane": _line("red blue yellow green orange", "teal magenta", {"propeller": play.toy_airplane, "jet": play.toy_airplane_jet}, {"biplane": play.toy_airplane_biplane}),
    "block": _line("red blue yellow green", "teal magenta", {"cube": play.block, "arch": play.block_arch}, {"gable": play.block_prism}),
    "lego": _line("red blue yellow green white", "lime magenta", {"long": play.lego, "square": play.lego_square}, {"stack": play.lego_stack}),
    "rubiks_cube": _line("yellow white cyan", "lime magenta", {"solved": play.rubiks_cube, "scrambled": play.rubiks_cube_scrambled}, {"two": play.rubiks_cube_two}),
    "teddy": _line("brown tan pink white", "lavender mint", {"bear": play.teddy, "bow": play.teddy_bow}, {"rabbit": play.teddy_rabbit}),
    # personal things and decoration
    "phone": _line("black white red cyan", "gold lavender", {"smart": personal.phone, "keypad": personal.phone_buttons}, {"flip": personal.phone_flip}),
    "remote": _line("black grey white", "navy ivory", {"long": personal.remote, "waisted": personal.remote_waisted}, {"stub": personal.remote_small}),
    "watch": _line("black brown red blue", "teal gold", {"round": personal.watch, "digital": personal.watch_digital}, {"pocket": personal.watch_pocket}),
    "keys": _line("red blue green yellow", "teal magenta", {"three": personal.keys, "tassel": personal.keys_pair}, {"car": personal.keys_car}),
    "credit_card": _line("blue red green black yellow", "gold teal", {"front": personal.credit_card, "back": personal.credit_card_back}, {"two": personal.credit_card_fan}),
    "pen": _line("red blue black green yellow", "magenta teal", {"ball": personal.pen, "pencil": personal.pen_pencil}, {"marker": personal.pen_marker}),
    "cd": _line("blue red green orange purple", "teal magenta", {"disc": personal.cd, "case": personal.cd_case}, {"spindle": personal.cd_spindle}),
    "alarm_clock": _line("red blue green black yellow", "teal coral", {"bells": personal.alarm_clock, "digital": personal.alarm_clock_digital}, {"travel": personal.alarm_clock_square}),
    "candle": _line("white red purple green orange", "teal ivory", {"pillar": decor.candle, "taper": decor.candle_stick, "jar": decor.candle_jar}, {"tealights": decor.candle_tealights}),
    "vase": _line("white blue purple cyan orange green", "teal maroon", {"belly": decor.vase, "glass": decor.vase_glass, "tall": decor.vase_tall}, {"amphora": decor.vase_amphora}),
    "statue": _line("white grey brown yellow", "teal gold", {"bust": decor.statue, "cat": decor.statue_cat, "obelisk": decor.statue_obelisk}, {"ring": decor.statue_ring}),
}  # fmt: skip
"""Every movable category of the vocabulary."""
