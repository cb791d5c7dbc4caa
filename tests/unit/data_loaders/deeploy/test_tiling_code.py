"""Loops over tiles and their transfers, as Deeploy writes them."""

from hypothesis import given
from hypothesis import strategies as st

from data_loaders.deeploy.tiling_code import TilingCode, read_tiling

P = "DeeployNetwork"
LABEL = f"{P}_TILING_CODEGEN_L1_conv"
INTO = 1 << 17


def table(name, *values, level="L1"):
    joined = ", ".join(map(str, values))
    return f"static PI_L1 uint32_t {P}_TILING_CODEGEN_{level}_conv_{name}[{len(values)}] = {{{joined}}};\n"


def moves(text):
    return [
        (move.level, move.label, move.external, move.into, move.runs)
        for move in read_tiling(P, text).moves
    ]


def test_counts_are_those_of_the_table():
    code = read_tiling(P, table("numTiles", 0, 2, 5) + table("numTiles", 0, 2, level="L2"))
    assert code.counts == {("L1", "conv"): (0, 2, 5), ("L2", "conv"): (0, 2)}


def test_a_command_word_has_bytes_and_direction():
    text = f"mchan_transfer_1d({INTO + 700}, {LABEL}_A_ref, {LABEL}_x_ref);\n"
    text += f"mchan_transfer_1d({1 << 20 | 64}, {LABEL}_data_out_ref, {LABEL}_y_ref);\n"
    assert moves(text) == [
        ("L1", "conv_A", "conv_x", True, ((0, 700, 1),)),
        ("L1", "conv_data_out", "conv_y", False, ((0, 64, 1),)),
    ]


def test_a_table_gives_each_tile_its_own():
    text = table("A_cmd", INTO + 57, INTO + 57, INTO + 14)
    text += f"mchan_transfer_2d_ext_strided({LABEL}_A_cmd[TILING_I], {LABEL}_A_ref, {LABEL}_x_ref, 4, 12);\n"
    assert moves(text) == [("L1", "conv_A", "conv_x", True, ((2, 57, 1), (1, 14, 1)))]


def test_loops_around_a_transfer_multiply_it():
    text = table("A_cmd", INTO + 40, INTO + 8) + table("A_end_0", 2, 3)
    text += f"""channel_input = mchan_channel_alloc();
for (uint32_t i_0 = 0; i_0 < {LABEL}_A_end_0[TILING_I]; i_0++) {{
for (uint32_t i_1 = 0; i_1 < 2; i_1++) {{
void * const local_buffer_offsetted = (void *)((char *){LABEL}_A_ref + loc_offset);
void * const external_buffer_offsetted = (void *)((char *){LABEL}_x_ref + ext_offset);
mchan_transfer_1d({LABEL}_A_cmd[TILING_I], local_buffer_offsetted, external_buffer_offsetted);
"""
    assert moves(text) == [("L1", "conv_A", "conv_x", True, ((1, 160, 4), (1, 48, 6)))]


def test_loops_of_a_kernel_are_not_those_of_the_next_transfer():
    text = "for (uint32_t i_0 = 0; i_0 < 9; i_0++) {}\nchannel_input = mchan_channel_alloc();\n"
    text += f"mchan_transfer_1d({INTO + 8}, {LABEL}_A_ref, {LABEL}_x_ref);\n"
    assert moves(text)[0][-1] == ((0, 8, 1),)


def test_double_buffering_moves_once_and_doubles_the_block():
    label = f"{P}_TILING_CODEGEN_L2_conv"
    text = table("A_size", 40, 24, level="L2") + f"{label}_A_ref = (int8_t*){label}_x_buffer_1;\n"
    for pointer, index in (("ref", "0"), ("next", "TILING_I+1")):
        size = f"{label}_A_size[{index}]"
        text += f"pi_cl_ram_copy_2d(get_ram_ptr(), {label}_x_ref, {label}_A_{pointer}, {size}, 8, 8, 1, &in);\n"
    text += f"pi_cl_ram_copy_2d(get_ram_ptr(), {label}_y_ref, {label}_data_out_ref, 5, 5, 5, 0, &out);\n"
    code = read_tiling(P, text)
    assert [(m.label, m.into, m.runs) for m in code.moves] == [
        ("conv_A", True, ((1, 40, 1), (1, 24, 1))),
        ("conv_data_out", False, ((0, 5, 1),)),
    ]
    assert code.doubled == {("L2", "conv_x")}


def test_sizes_that_differ_are_kept_by_their_largest():
    text = table("O", 80, 48) + table("dim_im_in_y", 3, 4, 3) + table("A_cmd", 1, 2)
    assert read_tiling(P, text).sizes == {("L1", "conv"): {"O": 80, "dim_im_in_y": 4}}


def test_what_cannot_be_known_is_left_out():
    unknown = f"mchan_transfer_1d({LABEL}_A_cmd[TILING_I], {LABEL}_A_ref, {LABEL}_x_ref);\n"
    short, elsewhere = "mchan_transfer_1d(4);\n", "mchan_transfer_1d(4, a, b);\n"
    huge = f"mchan_transfer_1d({INTO + 9}, {LABEL}_A_ref, {LABEL}_x_ref);\n"
    loops = "".join(
        f"for (uint32_t i_{at} = 0; i_{at} < {10**17}; i_{at}++) {{\n" for at in range(3)
    )
    nothing = f"mchan_transfer_1d({INTO}, {LABEL}_A_ref, {LABEL}_x_ref);\n"
    assert moves(unknown + short + elsewhere) == []
    assert [move[-1] for move in moves(loops + huge)] == [()]
    assert [move[-1] for move in moves(loops + nothing)] == [()]
    ragged = table("A_cmd", 1, 2) + table("A_end_0", 1, 2, 3)
    loop = f"for (uint32_t i_0 = 0; i_0 < {LABEL}_A_end_0[TILING_I]; i_0++) {{\n"
    assert [move[-1] for move in moves(ragged + loop + unknown)] == [()]


@given(st.text())
def test_any_text_is_read(text):
    assert isinstance(read_tiling(P, text), TilingCode)
